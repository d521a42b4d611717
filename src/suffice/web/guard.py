"""Guard: passes on only requests of this run's own page, from this machine."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable, MutableMapping
from dataclasses import dataclass
from hmac import compare_digest
from typing import Any

from suffice.web.page import policy

Scope = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[MutableMapping[str, Any]]]
Send = Callable[[MutableMapping[str, Any]], Awaitable[None]]

# Bytes of a request: settings, and up to some hundred edits.
MOST_BYTES = 1 << 20

HEADERS = {
    "content-security-policy": policy(connects=True) + "; frame-ancestors 'none'",
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
    "referrer-policy": "no-referrer",
    "cache-control": "no-store",
    "cross-origin-resource-policy": "same-origin",
    "cross-origin-opener-policy": "same-origin",
}


@dataclass(frozen=True, slots=True)
class Guard:
    """ASGI middleware that protects another application.

    A page of another site may send requests here, but cannot forge their Host and Origin; another
    program of this machine can, but does not know the token.
    """

    app: Callable[[Scope, Receive, Send], Awaitable[None]]
    authority: str  # "127.0.0.1:port"
    token: str

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer, pass on, or refuse."""
        if scope["type"] == "lifespan":
            await self.app(scope, receive, send)
        elif scope["type"] != "http":
            # A WebSocket is not bound by the same-origin policy.
            await send({"type": "websocket.close", "code": 1008})
        else:
            status = self.refusal(scope)
            if status:
                await _answer(send, status)
            else:
                await self.app(scope, receive, _with_headers(send))

    def refusal(self, scope: Scope) -> int:
        """The status of a request that is refused, or 0."""
        headers = list(scope["headers"])
        if _values(headers, b"host") != [self.authority.encode()]:
            return 421
        origins = _values(headers, b"origin")
        own = f"http://{self.authority}".encode()
        posts = scope["method"] == "POST"
        if origins != [own] and (posts or origins):
            return 403
        if any(
            site not in (b"same-origin", b"none") for site in _values(headers, b"sec-fetch-site")
        ):
            return 403
        if scope["path"] not in ("/", "/api") or scope.get("query_string"):
            return 404
        if scope["method"] != ("POST" if scope["path"] == "/api" else "GET"):
            return 405
        return self._refused_post(headers) if posts else 0

    def _refused_post(self, headers: list[tuple[bytes, bytes]]) -> int:
        tokens = _values(headers, b"x-suffice-token")
        if len(tokens) != 1 or not compare_digest(tokens[0], self.token.encode()):
            return 401
        if _values(headers, b"content-type") != [b"application/json"]:
            return 415
        lengths = _values(headers, b"content-length")
        if len(lengths) != 1 or not lengths[0].isdigit():
            return 411
        return 413 if len(lengths[0]) > 9 or int(lengths[0]) > MOST_BYTES else 0


def _values(headers: Iterable[tuple[bytes, bytes]], name: bytes) -> list[bytes]:
    return [value for key, value in headers if key.lower() == name]


def _with_headers(send: Send) -> Send:
    async def guarded(message: MutableMapping[str, Any]) -> None:
        if message["type"] == "http.response.start":
            own = [(name.encode(), value.encode()) for name, value in HEADERS.items()]
            message["headers"] = [*message.get("headers", ()), *own]
        await send(message)

    return guarded


async def _answer(send: Send, status: int) -> None:
    """An answer without content."""
    guarded = _with_headers(send)
    await guarded({"type": "http.response.start", "status": status, "headers": []})
    await guarded({"type": "http.response.body", "body": b""})

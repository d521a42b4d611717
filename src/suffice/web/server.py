"""Server: the page and its tasks on this machine, for one run."""

from __future__ import annotations

import json
import socket
import webbrowser
from collections.abc import Callable
from dataclasses import dataclass
from secrets import token_urlsafe
from typing import Any

from suffice.errors import InvalidParameter, MissingPackage
from suffice.web.explore import ExplorerPage
from suffice.web.guard import Guard
from suffice.web.page import page, payload
from suffice.web.tasks import Tasks

LOOPBACK = "127.0.0.1"


@dataclass(frozen=True, slots=True)
class Site:
    """A page with a port and a token of its own."""

    made: ExplorerPage
    port: int
    token: str

    @property
    def address(self) -> str:
        """The link to open; the token is in the fragment, which browsers do not send."""
        return f"http://{LOOPBACK}:{self.port}/#token={self.token}"

    @property
    def app(self) -> Guard:
        """The ASGI application."""
        return Guard(_application(self.made), f"{LOOPBACK}:{self.port}", self.token)


def serve(
    made: ExplorerPage,
    port: int | None = None,
    *,
    browser: bool = True,
    started: Callable[[str], None] = print,
) -> None:
    """Serve a page on this machine until it is interrupted.

    port : None for any that is free
    started : called with the address
    """
    try:
        import uvicorn
    except ImportError:
        raise _missing() from None
    with _listen(port) as listening:
        site = Site(made, listening.getsockname()[1], token_urlsafe(32))
        settings = uvicorn.Config(
            site.app, log_level="warning", access_log=False, server_header=False, ws="none"
        )
        started(site.address)
        if browser:
            webbrowser.open(site.address)
        uvicorn.Server(settings).run(sockets=[listening])


def _listen(port: int | None) -> socket.socket:
    listening = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    try:
        listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listening.bind((LOOPBACK, port or 0))
    except OSError as error:
        listening.close()
        raise InvalidParameter(
            f"port {port} cannot be used ({error.strerror}); leave it out for a free one."
        ) from None
    return listening


def _application(made: ExplorerPage) -> Any:
    """The page without data at /, and data and tasks at /api."""
    try:
        from starlette.applications import Starlette
        from starlette.concurrency import run_in_threadpool
        from starlette.requests import Request
        from starlette.responses import HTMLResponse, JSONResponse
        from starlette.routing import Route
    except ImportError:
        raise _missing() from None
    # The page itself holds no data: the API delivers it, and needs the token.
    shell = page(made.title, {"server": True}, connects=True)
    data = payload(made.datasets, made.presets)
    tasks = {one.name: Tasks(one) for one in made.datasets}

    async def show(request: Request) -> HTMLResponse:
        return HTMLResponse(shell)

    async def answer(request: Request) -> JSONResponse:
        try:
            asked = json.loads(await request.body())
        except (ValueError, RecursionError):
            return JSONResponse({"error": "this is not JSON"}, 400)
        if isinstance(asked, dict) and asked.get("task") == "data":
            return JSONResponse(data)
        name = asked.get("data") if isinstance(asked, dict) else None
        if not isinstance(name, str) or name not in tasks:
            return JSONResponse({"error": "there is no such data"}, 400)
        return JSONResponse(await run_in_threadpool(tasks[name].answer, asked))

    return Starlette(
        routes=[Route("/", show, methods=["GET"]), Route("/api", answer, methods=["POST"])]
    )


def _missing() -> MissingPackage:
    return MissingPackage(
        "the local page needs starlette and uvicorn: pip install 'suffice[web]'; or write a file "
        "with --out page.html."
    )

"""The local server: what its own page asks is answered, and nothing else."""

from __future__ import annotations

import asyncio
import inspect
import json
import re
import socket
import sys
import types
from concurrent.futures import ThreadPoolExecutor
from itertools import product

import pytest
from sklearn.datasets import load_iris

import suffice as sf
from suffice.errors import InvalidParameter

pytest.importorskip("starlette")

from suffice.web import guard
from suffice.web.explore import explorer_page
from suffice.web.guard import MOST_BYTES
from suffice.web.server import Site

PORT, TOKEN = 43210, "a-secret-token-of-this-run"
OWN = f"127.0.0.1:{PORT}"
GOOD = {
    "host": OWN,
    "origin": f"http://{OWN}",
    "content-type": "application/json",
    "x-suffice-token": TOKEN,
}


@pytest.fixture(scope="module")
def app():
    X, y = load_iris(return_X_y=True)
    return Site(explorer_page(X, y, sf.LDA()), PORT, TOKEN).app


def run(coroutine):
    """Run in a thread of its own: the browser's tests leave a loop running in this one."""
    with ThreadPoolExecutor(1) as pool:
        pool.submit(asyncio.run, coroutine).result()


def send(app, method="POST", path="/api", headers=GOOD, body=b'{"task": "data"}'):
    """One request as the server sees it; headers may repeat."""
    pairs = list(headers.items()) if isinstance(headers, dict) else list(headers)
    names = {name.lower() for name, _ in pairs}
    if method == "POST" and "content-length" not in names:
        pairs.append(("content-length", str(len(body))))
    path, _, query = path.partition("?")
    scope = {
        "type": "http",
        "asgi": {"version": "3.0"},
        "http_version": "1.1",
        "method": method,
        "scheme": "http",
        "path": path,
        "raw_path": path.encode(),
        "query_string": query.encode(),
        "root_path": "",
        "headers": [(n.encode("latin-1"), v.encode("latin-1")) for n, v in pairs],
        "client": ("127.0.0.1", 5),
        "server": ("127.0.0.1", PORT),
    }
    sent = []
    parts = iter([{"type": "http.request", "body": body, "more_body": False}])

    async def receive():
        return next(parts, {"type": "http.disconnect"})

    async def collect(message):
        sent.append(message)

    run(app(scope, receive, collect))
    content = b"".join(part.get("body", b"") for part in sent[1:])
    answered = {name.decode(): value.decode() for name, value in sent[0]["headers"]}
    return sent[0]["status"], answered, content


def test_the_page_itself_is_answered(app):
    status, headers, content = send(app, "GET", "/", {"host": OWN})
    assert status == 200
    assert headers["content-security-policy"].startswith("default-src 'none'")
    assert headers["x-frame-options"] == "DENY"
    assert headers["cache-control"] == "no-store"
    assert "access-control-allow-origin" not in headers
    assert b"setosa" not in content
    assert b'"rows"' not in content
    status, _, content = send(app)
    assert status == 200
    assert json.loads(content)["datasets"][0]["labels"] == ["0", "1", "2"]


HOSTS = [
    "127.0.0.1", "localhost", f"localhost:{PORT}", f"127.0.0.1:{PORT + 1}", "evil.example",
    f"evil.example:{PORT}", f"127.0.0.1:{PORT}.evil.example", f"127.0.0.1.evil.example:{PORT}",
    f"127.0.0.1:{PORT}@evil.example", f"user@127.0.0.1:{PORT}", f"[::1]:{PORT}", f"0.0.0.0:{PORT}",
    f"127.1:{PORT}", f"2130706433:{PORT}", f"127.0.0.1:{PORT} ", f" 127.0.0.1:{PORT}",
    f"127.0.0.1:{PORT}/", f"127.0.0.1:0{PORT}", f"127.0.0.1:{PORT}\t", f"127.0.0.2:{PORT}", "",
    f"127.0.0.1:{PORT},evil.example", f"①27.0.0.1:{PORT}".encode().decode("latin-1"),
]  # fmt: skip
ORIGINS = [
    "null", "", "http://evil.example", f"https://127.0.0.1:{PORT}", "http://127.0.0.1",
    f"http://127.0.0.1:{PORT + 1}", f"http://localhost:{PORT}", f"http://127.0.0.1:{PORT}/",
    f"http://127.0.0.1:{PORT}.evil.example", f"http://127.0.0.1:{PORT}@evil.example",
    f"HTTP://127.0.0.1:{PORT}", f"http://127.0.0.1:{PORT} ", f" http://127.0.0.1:{PORT}",
    f"http://127.0.0.1:{PORT} http://evil.example", f"http://evil.example http://127.0.0.1:{PORT}",
    f"http://user@127.0.0.1:{PORT}", f"http://[::1]:{PORT}", "file://", "chrome-extension://abc",
    f"ws://127.0.0.1:{PORT}", f"http://127.0.0.1:{PORT}#", f"http://127.0.0.1:{PORT}?",
]  # fmt: skip
TOKENS = [
    "", " ", TOKEN[:-1], TOKEN + "x", TOKEN.upper(), TOKEN + " ", " " + TOKEN, TOKEN + "\0",
    "null", "undefined", "*", "Bearer " + TOKEN, TOKEN + "," + TOKEN, "é" * 5, TOKEN[::-1],
]  # fmt: skip
TYPES = [
    "text/plain", "application/x-www-form-urlencoded", "multipart/form-data", "", "text/json",
    "application/json, text/plain", "application/json; charset=utf-7", "APPLICATION/JSON",
]  # fmt: skip
METHODS = ["GET", "HEAD", "OPTIONS", "PUT", "DELETE", "PATCH", "TRACE", "CONNECT", "post", "BREW"]
PATHS = [
    "/api/", "//api", "/API", "/api?x=1", "/?token=" + TOKEN, "/../api", "/api/../", "/%2e%2e/api",
    "/static/explorer.js", "/favicon.ico", "/.git/config", "/etc/passwd", "/api/data", "/index",
]  # fmt: skip
LENGTHS = ["-1", "x", "", "0x10", str(MOST_BYTES + 1), "9" * 30, "9" * 5000, "1e3", "+5"]

ATTACKS = (
    [("host", {"headers": {**GOOD, "host": one}}) for one in HOSTS]
    + [
        ("host on the page", {"method": "GET", "path": "/", "headers": {"host": one}})
        for one in HOSTS
    ]
    + [("origin", {"headers": {**GOOD, "origin": one}}) for one in ORIGINS]
    + [
        (
            "origin on the page",
            {"method": "GET", "path": "/", "headers": {"host": OWN, "origin": one}},
        )
        for one in ORIGINS
    ]
    + [("token", {"headers": {**GOOD, "x-suffice-token": one}}) for one in TOKENS]
    + [("type", {"headers": {**GOOD, "content-type": one}}) for one in TYPES]
    + [("method", {"method": one}) for one in METHODS]
    + [("path", {"path": one}) for one in PATHS]
    + [("length", {"headers": {**GOOD, "content-length": one}}) for one in LENGTHS]
    + [("left out", {"headers": {k: v for k, v in GOOD.items() if k != name}}) for name in GOOD]
    + [("twice", {"headers": [*GOOD.items(), (name, GOOD[name])]}) for name in GOOD]
    + [("length", {"headers": [*GOOD.items(), *[("content-length", "16")] * 2]})]
    + [
        ("capitals", {"headers": [*GOOD.items(), (name.title(), "http://evil.example")]})
        for name in GOOD
    ]
    + [
        ("site", {"headers": {**GOOD, "sec-fetch-site": one}})
        for one in ("cross-site", "same-site", "")
    ]
    + [
        (
            "cookie for the token",
            {"headers": {**{k: v for k, v in GOOD.items() if k != "x-suffice-token"}, name: TOKEN}},
        )
        for name in ("cookie", "authorization", "x-token", "x_suffice_token")
    ]
)


# The status tells which check refused: another one would hide that the first is gone.
REFUSED = {
    "host": {421}, "host on the page": {421}, "origin": {403}, "origin on the page": {403},
    "token": {401}, "type": {415}, "method": {403, 405}, "path": {404}, "length": {411, 413},
    "left out": {421, 403, 415, 401}, "twice": {421, 403, 415, 401}, "site": {403},
    "capitals": {421, 403, 415, 401}, "cookie for the token": {401},
}  # fmt: skip


def test_there_are_more_than_a_hundred_attacks():
    assert len(ATTACKS) > 100
    assert {what for what, _ in ATTACKS} == set(REFUSED)


# Each check of the guard, and the same line with a hole.
HOLES = [
    ('_values(headers, b"host") != [self.authority.encode()]', "False"),
    (
        '_values(headers, b"host") != [self.authority.encode()]',
        'self.authority.encode() not in _values(headers, b"host")',
    ),
    (
        '_values(headers, b"host") != [self.authority.encode()]',
        'not b"".join(_values(headers, b"host")).startswith(self.authority.encode())',
    ),
    ("origins != [own] and (posts or origins)", "False"),
    ("origins != [own] and (posts or origins)", "origins != [own] and posts"),
    ("origins != [own] and (posts or origins)", "origins and origins != [own]"),
    ("origins != [own] and (posts or origins)", "own not in origins and (posts or origins)"),
    ('own = f"http://{self.authority}".encode()', 'own = origins[0] if origins else b""'),
    ('site not in (b"same-origin", b"none")', 'site == b"cross-site"'),
    ('scope["path"] not in ("/", "/api") or', "False or"),
    ('or scope.get("query_string")', ""),
    ('scope["method"] != ("POST" if scope["path"] == "/api" else "GET")', "False"),
    ("self._refused_post(headers) if posts else 0", "0"),
    ("len(tokens) != 1 or not compare_digest(tokens[0], self.token.encode())", "False"),
    ("not compare_digest(tokens[0], self.token.encode())", "False"),
    ("len(tokens) != 1", "not tokens"),
    ("tokens[0], self.token.encode()", "tokens[0].strip(), self.token.encode()"),
    ("tokens[0], self.token.encode()", "tokens[0].lower(), self.token.lower().encode()"),
    ('_values(headers, b"content-type") != [b"application/json"]', "False"),
    ("len(lengths) != 1 or not lengths[0].isdigit()", "not lengths or not lengths[0].isdigit()"),
    ("or not lengths[0].isdigit()", 'or lengths[0] == b""'),
    ("len(lengths[0]) > 9 or", ""),
    ("len(lengths[0]) > 9 or int(lengths[0]) > MOST_BYTES", "False"),
    ("int(lengths[0]) > MOST_BYTES", "int(lengths[0]) > 2 * MOST_BYTES"),
    ("key.lower() == name", "key == name"),
]


@pytest.mark.parametrize(("line", "hole"), HOLES)
def test_every_check_of_the_guard_is_missed_when_it_is_gone(app, line, hole):
    """The attacks find each hole: they would not all be refused by the other checks."""
    source = inspect.getsource(guard)
    assert source.count(line) == 1
    holed = types.ModuleType("holed")
    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(sys.modules, "holed", holed)
        exec(source.replace(line, hole), holed.__dict__)
    holed_guard = holed.Guard(app.app, OWN, TOKEN)
    assert any(passes(holed_guard, what, request_) for what, request_ in ATTACKS)


def passes(app, what, request_):
    """Whether an attack is answered, or makes the guard itself fail."""
    try:
        status, _, content = send(app, **request_)
    except ValueError:
        return True
    return status not in REFUSED[what] or content != b""


@pytest.mark.parametrize(
    ("what", "request_"), ATTACKS, ids=lambda one: one if isinstance(one, str) else ""
)
def test_an_attack_is_refused_and_learns_nothing(app, what, request_):
    status, headers, content = send(app, **request_)
    assert status in REFUSED[what]
    assert content == b""
    assert "access-control-allow-origin" not in headers
    assert TOKEN not in str(headers)


@pytest.mark.parametrize("origin", [f"http://{OWN}", "http://evil.example", None])
def test_no_websocket_is_opened(app, origin):
    """A foreign page may open one without asking: only the server can refuse."""
    headers = [(b"host", OWN.encode()), (b"x-suffice-token", TOKEN.encode())]
    if origin:
        headers.append((b"origin", origin.encode()))
    sent = []

    async def receive():
        return {"type": "websocket.connect"}

    async def collect(message):
        sent.append(message)

    scope = {"type": "websocket", "path": "/api", "headers": headers, "query_string": b""}
    run(app(scope, receive, collect))
    assert [message["type"] for message in sent] == ["websocket.close"]


BODIES = [
    b"", b"{", b"[]", b"null", b"1", b'"data"', b"\xff\xfe", b"[" * 100_000, b'{"task": "path"}',
    b'{"task": "__class__", "data": "data"}', b'{"task": "path", "data": "../data"}',
    b'{"task": "path", "data": ["data"]}', b'{"task": {"a": 1}, "data": "data"}',
]  # fmt: skip


@pytest.mark.parametrize("body", BODIES)
def test_a_malformed_question_has_a_plain_answer(app, body):
    status, _, content = send(app, body=body)
    assert status in (200, 400)
    assert set(json.loads(content)) == {"error"}


SETTINGS = {"structure": "full", "pooling": 0, "shrinkage": 0, "ddof": 0, "priors": None}


@pytest.mark.parametrize(
    "change",
    [
        {"parameter": "ddof"},
        {"parameter": None},
        {"settings": {}},
        {"settings": {**SETTINGS, "shrinkage": 1e308}},
        {"settings": {**SETTINGS, "structure": "__import__('os')"}},
        {"settings": {**SETTINGS, "priors": [1, 2]}},
        {"edits": "m0"},
        {"edits": [{}]},
        {"edits": [{"op": "add", "code": 99, "values": [1, 2, 3, 4]}]},
        {"edits": [{"op": "add", "code": True, "values": [1, 2, 3, 4]}]},
        {"edits": [{"op": "move", "row": -1, "values": [1, 2, 3, 4]}]},
        {"edits": [{"op": "move", "row": 1, "values": [1, 2, 3]}]},
        {"edits": [{"op": "move", "row": 1, "values": [1, 2, 3, 1e999]}]},
        {"edits": [{"op": "drop"}]},
        {"edits": [{"op": "remove", "row": 0}] * 2000},
        {"edits": [{"op": "remove", "row": i} for i in range(150)]},
    ],
)
def test_an_impossible_question_is_answered_in_words(app, change):
    asked = {"task": "path", "data": "data", "parameter": "pooling", "settings": SETTINGS} | change
    status, _, content = send(app, body=json.dumps(asked).encode())
    assert status == 200
    assert set(json.loads(content)) == {"error"}
    assert b"Traceback" not in content


def test_the_server_answers_as_the_library_does(app):
    X, y = load_iris(return_X_y=True)
    edits = [
        {"op": "move", "row": 0, "values": [7, 4, 6, 2]},
        {"op": "remove", "row": 1},
        {"op": "add", "code": 2, "values": [5, 3, 2, 1]},
    ]
    asked = {"task": "path", "data": "data", "parameter": "pooling", "settings": SETTINGS}
    found = json.loads(send(app, body=json.dumps({**asked, "edits": edits}).encode())[2])
    X[0] = [7, 4, 6, 2]
    X, y = [*X[[0]], *X[2:], [5, 3, 2, 1]], [0, *y[2:], 2]
    for point in found["points"]:
        left = sf.GaussianDiscriminant(pooling=point["value"]).fit(X, y).leave_one_out(X, y)
        assert point["log_loss"] == pytest.approx(left.log_loss, rel=1e-12)
        assert point["errors"] == len(left.wrong)
    assert len(found["points"]) == 11


def test_only_this_machine_is_listened_to():
    from suffice.web.server import _listen

    with _listen(None) as listening:
        host, port = listening.getsockname()
        assert host == "127.0.0.1"
        listening.listen()
        with pytest.raises(InvalidParameter, match="cannot be used"):
            _listen(port)


PROTECTION = {
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
    "referrer-policy": "no-referrer",
    "cache-control": "no-store",
    "cross-origin-resource-policy": "same-origin",
    "cross-origin-opener-policy": "same-origin",
}


@pytest.mark.parametrize(("method", "path"), list(product(["GET", "POST"], ["/", "/api"])))
def test_every_answer_has_the_headers_that_protect_it(app, method, path):
    _, headers, _ = send(app, method, path)
    assert PROTECTION.items() <= headers.items()
    assert not [name for name in headers if name.startswith("access-control")]
    rules = dict(rule.split(" ", 1) for rule in headers["content-security-policy"].split("; "))
    for name in ("script-src", "style-src"):
        assert re.fullmatch(r"'sha256-[A-Za-z0-9+/]{43}='", rules.pop(name))
    assert rules == {
        "default-src": "'none'",
        "img-src": "data: blob:",
        "worker-src": "blob:",
        "base-uri": "'none'",
        "form-action": "'none'",
        "connect-src": "'self'",
        "frame-ancestors": "'none'",
    }


RAW = {
    "nothing": b'content-length: 16\r\n\r\n{"task": "data"}',
    "chunked": b'transfer-encoding: chunked\r\n\r\n10\r\n{"task": "data"}\r\n0\r\n\r\n',
    "chunked with a length": b"content-length: 16\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n",
    "two lengths": b"content-length: 16\r\ncontent-length: 2\r\n\r\n{}",
    "a folded host": b"content-length: 2\r\nhost:\r\n evil.example\r\n\r\n{}",
    "an upgrade": b"connection: upgrade\r\nupgrade: websocket\r\nsec-websocket-version: 13\r\n"
    b"sec-websocket-key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n",
}


@pytest.mark.parametrize("what", RAW)
def test_only_a_plain_request_on_the_socket_is_answered(app, running, what):
    """What only a real connection can send; the server before the guard may refuse it, too."""
    with running(lambda port: guard.Guard(app.app, f"127.0.0.1:{port}", TOKEN)) as port:
        own = f"127.0.0.1:{port}"
        head = GOOD | {"host": own, "origin": f"http://{own}", "connection": "close"}
        lines = "".join(f"{name}: {value}\r\n" for name, value in head.items())
        with socket.create_connection(("127.0.0.1", port), timeout=120) as sent:
            sent.sendall(b"POST /api HTTP/1.1\r\n" + lines.encode() + RAW[what])
            answer = b"".join(iter(lambda: sent.recv(65536), b""))
    if what == "nothing":
        assert b"labels" in answer
    else:
        assert re.match(rb"HTTP/1.1 4\d\d ", answer)
        assert b"labels" not in answer

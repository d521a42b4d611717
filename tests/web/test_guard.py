"""The local server: what its own page asks is answered, and nothing else."""

from __future__ import annotations

import asyncio
import json
from concurrent.futures import ThreadPoolExecutor
from itertools import product

import pytest
from sklearn.datasets import load_iris

import suffice as sf
from suffice.errors import InvalidParameter

pytest.importorskip("starlette")

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
def site():
    X, y = load_iris(return_X_y=True)
    return Site(explorer_page(X, y, sf.LDA()), PORT, TOKEN)


def run(coroutine):
    """Run in a thread of its own: the browser's tests leave a loop running in this one."""
    with ThreadPoolExecutor(1) as pool:
        pool.submit(asyncio.run, coroutine).result()


def send(site, method="POST", path="/api", headers=GOOD, body=b'{"task": "data"}'):
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

    run(site.app(scope, receive, collect))
    content = b"".join(part.get("body", b"") for part in sent[1:])
    answered = {name.decode(): value.decode() for name, value in sent[0]["headers"]}
    return sent[0]["status"], answered, content


def test_the_page_itself_is_answered(site):
    status, headers, content = send(site, "GET", "/", {"host": OWN})
    assert status == 200
    assert headers["content-security-policy"].startswith("default-src 'none'")
    assert headers["x-frame-options"] == "DENY"
    assert headers["cache-control"] == "no-store"
    assert "access-control-allow-origin" not in headers
    assert b"setosa" not in content
    assert b'"rows"' not in content
    status, _, content = send(site)
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
LENGTHS = ["-1", "x", "", "0x10", str(MOST_BYTES + 1), "9" * 30, "1e3", "+5"]

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


def test_there_are_more_than_a_hundred_attacks():
    assert len(ATTACKS) > 100


@pytest.mark.parametrize(
    ("what", "request_"), ATTACKS, ids=lambda one: one if isinstance(one, str) else ""
)
def test_an_attack_is_refused_and_learns_nothing(site, what, request_):
    status, headers, content = send(site, **request_)
    assert 400 <= status < 500
    assert content == b""
    assert "access-control-allow-origin" not in headers
    assert TOKEN not in str(headers)


@pytest.mark.parametrize("origin", [f"http://{OWN}", "http://evil.example", None])
def test_no_websocket_is_opened(site, origin):
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
    run(site.app(scope, receive, collect))
    assert [message["type"] for message in sent] == ["websocket.close"]


BODIES = [
    b"", b"{", b"[]", b"null", b"1", b'"data"', b"\xff\xfe", b"[" * 100_000, b'{"task": "path"}',
    b'{"task": "__class__", "data": "data"}', b'{"task": "path", "data": "../data"}',
    b'{"task": "path", "data": ["data"]}', b'{"task": {"a": 1}, "data": "data"}',
]  # fmt: skip


@pytest.mark.parametrize("body", BODIES)
def test_a_malformed_question_has_a_plain_answer(site, body):
    status, _, content = send(site, body=body)
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
def test_an_impossible_question_is_answered_in_words(site, change):
    asked = {"task": "path", "data": "data", "parameter": "pooling", "settings": SETTINGS} | change
    status, _, content = send(site, body=json.dumps(asked).encode())
    assert status == 200
    assert set(json.loads(content)) == {"error"}
    assert b"Traceback" not in content


def test_the_server_answers_as_the_library_does(site):
    X, y = load_iris(return_X_y=True)
    edits = [
        {"op": "move", "row": 0, "values": [7, 4, 6, 2]},
        {"op": "remove", "row": 1},
        {"op": "add", "code": 2, "values": [5, 3, 2, 1]},
    ]
    asked = {"task": "path", "data": "data", "parameter": "pooling", "settings": SETTINGS}
    found = json.loads(send(site, body=json.dumps({**asked, "edits": edits}).encode())[2])
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


@pytest.mark.parametrize(("method", "path"), list(product(["GET", "POST"], ["/", "/api"])))
def test_every_answer_has_the_headers_that_protect_it(site, method, path):
    _, headers, _ = send(site, method, path)
    assert {
        "content-security-policy",
        "x-content-type-options",
        "referrer-policy",
        "cache-control",
        "cross-origin-resource-policy",
    } <= set(headers)

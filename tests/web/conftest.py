"""Fixtures of the explorer's tests: the oracle, a server, and pages in the browser."""

from __future__ import annotations

import json
import threading
import time
from contextlib import contextmanager

import make_oracle
import pytest


@pytest.fixture(scope="session")
def oracle_file(tmp_path_factory):
    path = tmp_path_factory.mktemp("oracle") / "oracle.json"
    path.write_text(json.dumps(make_oracle.oracle()))
    return path


@pytest.fixture(scope="session")
def running():
    """Run an application, made of the port, on this machine; its address is "127.0.0.1:port"."""
    uvicorn = pytest.importorskip("uvicorn")
    from suffice.web.server import _listen

    @contextmanager
    def running(made):
        with _listen(None) as listening:
            port = listening.getsockname()[1]
            server = uvicorn.Server(uvicorn.Config(made(port), log_level="critical", ws="none"))
            thread = threading.Thread(target=server.run, kwargs={"sockets": [listening]})
            thread.start()
            while not server.started:
                time.sleep(0.01)
            yield port
            server.should_exit = True
            thread.join()

    return running


@pytest.fixture
def visit(new_context):
    """Open a page; it must raise no error and make no request but for itself."""
    pages = []

    def visit(path, hash="", **options):
        page = new_context(**{"viewport": {"width": 1280, "height": 900}, **options}).new_page()
        pages.append(page)
        page.problems = []
        page.on("pageerror", lambda error: page.problems.append(str(error)))
        page.on(
            "console",
            lambda message: (
                page.problems.append(message.text) if message.type in ("error", "warning") else None
            ),
        )
        page.requests = []
        page.on("request", lambda request: page.requests.append(request.url))
        page.goto(path.as_uri() + hash)
        page.wait_for_function("() => globalThis.sufficeExplorer?.frameTimes.length > 0")
        return page

    yield visit
    for page in pages:
        assert page.problems == [], page.problems
        others = [url for url in page.requests if not url.startswith(("file:", "blob:", "data:"))]
        assert others == []

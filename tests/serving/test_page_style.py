"""The page that every visit begins with has its style in it, whatever the browser would have taken
in its place; nothing else is touched.
"""

from __future__ import annotations

from pathlib import Path

import pytest
import streamlit
from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.middleware.gzip import GZipMiddleware
from starlette.responses import HTMLResponse
from starlette.routing import Mount, Route
from starlette.staticfiles import StaticFiles
from starlette.testclient import TestClient

from gear_app.app.app import _END, _PAGE, SHEET, PageStyle

BROWSER = {"accept": "text/html,*/*;q=0.8", "accept-encoding": "gzip"}
PAGE = '<html><head></head><body><div id="root"></div></body></html>'


@pytest.fixture
def client(tmp_path: Path) -> TestClient:
    """A browser of a server whose page is a file, zipped where it may be."""
    (tmp_path / "index.html").write_text(PAGE, encoding="utf-8")
    (tmp_path / "words.js").write_text("</body>", encoding="utf-8")
    routes = [
        Route("/other", lambda _: HTMLResponse("<body>another page</body>")),
        Mount("/", StaticFiles(directory=tmp_path, html=True)),
    ]
    zipped = Middleware(GZipMiddleware, minimum_size=1)
    return TestClient(Starlette(routes=routes, middleware=[Middleware(PageStyle), zipped]))


def test_streamlits_own_page_is_one_that_is_styled() -> None:
    page = Path(streamlit.__file__).with_name("static") / "index.html"
    assert _PAGE in page.read_bytes() and _END in page.read_bytes()


def test_the_page_ends_with_the_sheet_and_says_how_long_it_is(client: TestClient) -> None:
    answer = client.get("/", headers=BROWSER)
    sheet = SHEET.read_text(encoding="utf-8")
    assert answer.text == PAGE.replace("</body>", f"<style>{sheet}</style></body>")
    assert answer.headers["content-length"] == str(len(answer.content))


def test_a_page_with_an_earlier_style_is_never_taken_for_this_one(client: TestClient) -> None:
    etag = client.get("/index.html", headers={"accept": "*/*"}).headers["etag"]
    answer = client.get("/", headers=BROWSER | {"if-none-match": etag})
    assert answer.status_code == 200
    assert not {"etag", "last-modified"} & set(answer.headers)

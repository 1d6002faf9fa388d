"""The web application: the pages of navigation.py behind the door of middleware.py.

`streamlit run` looks for the call of `App` in the file that it runs. `gear-app serve` runs this
file, which it finds from any folder; app.py at the top of the project makes the same call.
"""

from __future__ import annotations

import webbrowser
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from threading import Thread

import streamlit as st
from starlette.middleware import Middleware
from streamlit.starlette import App

from gear_app.ui.middleware import Door, Policies

PAGE = Path(__file__).with_name("navigation.py")


def middleware() -> list[Middleware]:
    """What stands before Streamlit, from the outside in."""
    return [Middleware(Policies), Middleware(Door, hosts=st.get_option("server.allowedHosts"))]


@asynccontextmanager
async def lifespan(_: App) -> AsyncIterator[None]:
    """Open a browser as the server begins, unless it was told not to."""
    if not st.get_option("server.headless"):
        address, port = st.get_option("browser.serverAddress"), st.get_option("server.port")
        # The port is open already: a browser that is too early waits for its answer.
        Thread(target=webbrowser.open, args=[f"http://{address}:{port}"], daemon=True).start()
    yield


app = App(PAGE, middleware=middleware(), lifespan=lifespan)

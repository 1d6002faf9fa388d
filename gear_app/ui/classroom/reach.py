"""Under which address learners and followers reach this server, and where they cannot, or could do
more than is wanted.
"""

from __future__ import annotations

from urllib.parse import urlencode

import streamlit as st

from gear_app.classroom.access import class_address, learners_address, operator_token
from gear_app.ui.shared import visitors

OWN = "http://localhost"  # where a browser does not say what it calls this server
ONLY_HERE = (
    "Only this machine can join: the server listens to no other. For phones start it so:"
    " gear-app serve --class"
)
OPEN_TO_ALL = (
    "Whoever reaches this server may use all of it, learners too. To let them answer and do no"
    " more, start it so: gear-app serve --class"
)


def address() -> str:
    """The address to give, without a path."""
    return learners_address(st.context.url or OWN, class_address())


def lesson_page(key: str) -> str:
    """The teacher's own link to a page of a lesson, by its address `lesson/page`."""
    lesson, _, page = key.rpartition("/")
    query = urlencode({"lesson": lesson, "page": page})
    return f"{learners_address(st.context.url or OWN, '')}/learn?{query}"


def only_here() -> bool:
    """Whether nobody but this machine can reach the server."""
    listens = st.get_option("server.address")
    return not operator_token() and listens in visitors.LOOPBACK and visitors.is_home()


def open_to_all() -> bool:
    """Whether those who reach the server may use all of it."""
    return not operator_token() and not only_here()

"""The page Compare."""

from __future__ import annotations

import pytest
from streamlit.testing.v1 import AppTest


@pytest.fixture
def page(app: AppTest) -> AppTest:
    """The page Compare, not run yet."""
    app.run()
    app.switch_page("compare/page.py")
    return app

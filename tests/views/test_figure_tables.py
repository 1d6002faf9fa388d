"""A figure that plotly draws has its table."""

from __future__ import annotations

import ast
from pathlib import Path

import gear_app

PACKAGE = Path(gear_app.__file__).parent


def test_a_chart_is_drawn_only_where_its_table_is_drawn_too() -> None:
    """Streamlit's charts are called in one place, which cannot be called without a table."""
    charts = [
        path.relative_to(PACKAGE).as_posix()
        for path in PACKAGE.rglob("*.py")
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.Attribute) and node.attr.endswith("_chart") and node.attr[0] != "_"
        if isinstance(node.value, ast.Name) and node.value.id == "st"
    ]
    assert charts == ["ui/shared/elements.py"]

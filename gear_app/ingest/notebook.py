"""A notebook (.ipynb) to blocks: what is written in it, and its code. Results are counted only."""

from __future__ import annotations

import json
from typing import Any

from gear_app.errors import BadInput
from gear_app.ingest.blocks import BlockKind, ReadDocument
from gear_app.ingest.decode import decode, storable


def read_notebook(content: bytes) -> ReadDocument:
    """The cells of a notebook in their order. Raises BadInput where it is broken."""
    try:
        notebook = json.loads(decode(content))
    except (ValueError, RecursionError) as error:
        raise _broken() from error
    if not isinstance(notebook, dict):
        raise _broken()
    about = notebook.get("metadata")
    title = about.get("title") if isinstance(about, dict) else None
    document = ReadDocument(title=storable(title) if isinstance(title, str) else "")
    for cell in _cells(notebook):
        _add_cell(document, cell)
    return document


def _cells(notebook: dict[str, Any]) -> list[dict[str, Any]]:
    """The cells; older notebooks have them in worksheets."""
    sheets = notebook.get("worksheets")
    holders = [notebook, *(sheets if isinstance(sheets, list) else [])]
    lists = [holder.get("cells") for holder in holders if isinstance(holder, dict)]
    cells = [cell for cells in lists if isinstance(cells, list) for cell in cells]
    if not cells and not any(isinstance(some, list) for some in lists):
        raise _broken()
    return [cell for cell in cells if isinstance(cell, dict)]


def _add_cell(document: ReadDocument, cell: dict[str, Any]) -> None:
    from gear_app.ingest.markdown import add_markdown

    text = cell.get("source", cell.get("input", ""))
    if isinstance(text, list):
        text = "".join(line for line in text if isinstance(line, str))
    if not isinstance(text, str):
        raise _broken()
    text = storable(text)
    kind = cell.get("cell_type")
    if kind == "markdown":
        add_markdown(document, text)
    elif kind == "heading":
        level = cell.get("level")
        level = min(6, max(1, level)) if isinstance(level, int) else 1
        document.add(BlockKind.HEADING, text, level=level)
    else:
        document.add(BlockKind.CODE if kind == "code" else BlockKind.PARAGRAPH, text)
    outputs = cell.get("outputs")
    document.left_out["output"] += len(outputs) if isinstance(outputs, list) else 0


def _broken() -> BadInput:
    return BadInput("it is not a notebook of Jupyter, or broken; save it anew, or as .html")

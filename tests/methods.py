"""The methods that a test can ask as they are."""

from __future__ import annotations

from gear_app.retrievers import METHODS

# GFM-RAG has tests of its own (retrievers/test_gfm.py): it asks nothing without weights.
READY = [name for name, one in METHODS.items() if not one.needs_weights]
WITHOUT_MODEL = [name for name in READY if not METHODS[name].needs_model]

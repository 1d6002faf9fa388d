"""A workspace: one file, and everything that can be done with it. The place that knows every
concrete class.

`gear_app.open(path)` gives one. Opening loads no model; what a screen needs never does.
"""

from __future__ import annotations

from gear_app.collections.content import Content
from gear_app.collections.imports import Imports
from gear_app.corpus.neighbourhood import Edge, Neighbourhood, Node
from gear_app.paths import default_path
from gear_app.runs.bundle import Bundle, Bundles
from gear_app.runs.estimate import Estimate, Estimating
from gear_app.runs.kept_replies import Kept
from gear_app.runs.prices import Money
from gear_app.runs.queue import Watching
from gear_app.runs.replay import Replayed
from gear_app.runs.request import Options
from gear_app.runs.runner import Answer
from gear_app.store.documents import DocumentRow
from gear_app.store.entities import EntityCount
from gear_app.store.events import StoredEvent
from gear_app.store.extractions import Failure
from gear_app.store.replies import KeptReplies
from gear_app.store.rows import CollectionInfo, JobInfo, RunInfo, Spent, TripleSetInfo
from gear_app.store.spending import Spending


class Workspace(Content, Imports, Bundles, Watching, Estimating, Money, Kept):
    """Collections, questions, runs and jobs of one workspace file."""


__all__ = [
    "Answer",
    "Bundle",
    "CollectionInfo",
    "DocumentRow",
    "Edge",
    "EntityCount",
    "Estimate",
    "Failure",
    "JobInfo",
    "KeptReplies",
    "Neighbourhood",
    "Node",
    "Options",
    "Replayed",
    "RunInfo",
    "Spending",
    "Spent",
    "StoredEvent",
    "TripleSetInfo",
    "Workspace",
    "default_path",
]

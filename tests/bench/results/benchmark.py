"""What `make eval` measures: which methods and variants on which question sets."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from gear_app.core.text import count
from gear_app.evaluation.variants import variant

ROOT = Path(__file__).parents[3]
GPT = "gpt-3.5-turbo-1106"


def _beside_its_paper(methods: Sequence[str]) -> tuple[str, ...]:
    """Each method, and after it the same as in its paper where that is another."""
    rows = (row for words in methods for row in (words, str(variant(words).with_paper())))
    return tuple(dict.fromkeys(rows))


SINGLE = _beside_its_paper(
    (
        # the field's 60, and a small one beside it
        *("bm25", "dense", "hybrid", "hybrid constant=5"),
        *("weighted", "sentences", "composed", "chain", "naive_ge", "sync_ge", "gear"),
        *("hipporag", "hipporag2", "linearrag", "griever", "raptor"),
    )
)
ITERATIVE = _beside_its_paper(
    [
        f"{name}:{base}"
        for base in ("hybrid", "hipporag")
        for name in ("ircot", "bdtr", "irgs", "tog", "gcot")
    ]
)
OVER_CHAIN = tuple(f"{name}:chain" for name in ("gear", "ircot", "bdtr"))
METHODS = (*SINGLE, *OVER_CHAIN, *ITERATIVE)
EVERYDAY_METHODS = (*SINGLE, *OVER_CHAIN, *_beside_its_paper(("ircot:hybrid", "bdtr:hybrid")))
CASES = "case_study"  # a table of its own: three questions are too few for a mean
ENSEMBLE = "hipporag ensemble=uncertainty"


class Family(NamedTuple):
    """A method and its variants, each with the words that the table has for it.

    The first is the whole method.
    """

    title: str
    variants: dict[str, str]


def _cell(length: int, iterations: int) -> str:
    """A configuration of GEAR's Table 9; the paper's own is one of them."""
    settings = {2: "", 3: " length=3", 4: " length=4"}[length]
    return f"gear as-paper{settings}" + (f" max_iterations={iterations}" if iterations < 4 else "")


TABLE_9 = Family(
    "GEAR as in the paper, the lengths and numbers of iterations of its Table 9",
    {
        _cell(length, n): f"beams of {length}, at most {count(n, 'iteration')}"
        for length in (2, 3, 4)
        for n in (4, 3, 2, 1)
    },
)
FAMILIES = (
    Family(
        "SyncGE as in the paper, and the ablation of GEAR's Table 4",
        {
            "sync_ge as-paper": "SyncGE",
            "sync_ge as-paper gamma=none": "without weights for diversity",
        },
    ),
    TABLE_9,
    Family(
        "HippoRAG, the ablations of its Table 5 and the ensemble of its App. F.2",
        {
            "hipporag": "HippoRAG, with `chance` (ours)",
            "hipporag as-paper": "HippoRAG as in the paper",
            "hipporag spread=seeds": "query nodes only",
            "hipporag spread=neighbours": "query nodes and their neighbours",
            "hipporag specificity=false": "without node specificity",
            "hipporag synonymy=false": "without synonymy edges",
            ENSEMBLE: "with the uncertainty ensemble",
        },
    ),
    Family(
        "GRIEVER and the ablations of its last table",
        {
            "griever": "GRIEVER",
            "griever triples=full": "with full triples",
            "griever shortlist=false": "without shortlisting",
            "griever composed=false": "without the composed retriever",
            "griever same_as=false": "without synonyms of the join entities (ours)",
        },
    ),
    *(
        Family(
            f"BDTR over {base} and the ablations of its Table 5",
            {
                f"bdtr:{base}": "BDTR",
                f"dtr:{base}": "dual thoughts only",
                f"bgec:{base}": "calibration only",
            },
        )
        for base in ("hybrid", "hipporag")
    ),
)
ABLATIONS = tuple(
    words
    for family in FAMILIES
    if family is not TABLE_9
    for words in family.variants
    if words not in METHODS
)


class QuestionSet(NamedTuple):
    """A question set by its folder, the triples to use, and the methods to measure.

    Triples "local" are extracted.
    """

    folder: Path
    triples: str
    methods: tuple[str, ...]

    @property
    def name(self) -> str:
        """The folder's name."""
        return self.folder.name


EVERYDAY = tuple(f"everyday/{name}" for name in ("operations", "minutes", "novel", "lab"))
OTHER = tuple(
    f"genres/{name}"
    for name in "club council museum support clinic family freight farm theatre studio".split()
)
"""Further everyday text, beside the demo. Rules of `chain` were chosen with its figures in view."""
HELD_OUT = tuple(f"genres/{name}" for name in ("hotel", "school", "lifeboat"))
"""And text that no rule of `chain` was chosen by."""
PLANNED = (
    *((name, "local", EVERYDAY_METHODS) for name in EVERYDAY),
    ("musique_openie", GPT, METHODS),
    ("musique_openie", "local", METHODS),
    ("musique_migres", "local", (*METHODS, *ABLATIONS, *list(TABLE_9.variants)[1:])),
    ("2wiki_migres", "local", (*METHODS, *ABLATIONS)),
    ("hotpot_migres", "local", METHODS),
    ("musique_train2hop", "local", (*SINGLE, *OVER_CHAIN)),
    ("2wiki_train500", "local", (*SINGLE, *OVER_CHAIN)),
    (CASES, "local", (*METHODS, ENSEMBLE)),
    ("demo", "curated", METHODS),
    ("demo", "local", METHODS),
    *((name, "local", EVERYDAY_METHODS) for name in (*OTHER, *HELD_OUT)),
)


def folders() -> list[Path]:
    """Where question sets are: the folder that GEAR_SHARED_DATA names, and two of this project."""
    shared = Path(os.environ.get("GEAR_SHARED_DATA", ROOT.parent / "shared" / "data"))
    return [shared, ROOT / "data", ROOT / "tests" / "bench"]


def sets(
    folders: Sequence[Path], names: Sequence[str] = (), methods: Sequence[str] = ()
) -> list[QuestionSet]:
    """The question sets that these folders contain, in the order of the report.

    Only those named, only these methods, if any are.
    """
    present = (
        QuestionSet(folder / name, triples, tuple(methods) or planned)
        for name, triples, planned in PLANNED
        for folder in folders
    )
    return [
        one
        for one in present
        if one.folder.is_dir() and (not names or {one.name, one.folder.parent.name} & set(names))
    ]

"""What `make eval` measures: which methods and variants on which question sets."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

GPT = "gpt-3.5-turbo-1106"
SINGLE = (
    *("bm25", "dense", "hybrid", "hybrid constant=5"),  # the field's 60, and a small one beside it
    *("weighted", "chain", "naive_ge", "sync_ge", "gear", "hipporag", "griever"),
)
ITERATIVE = tuple(
    f"{name}:{base}"
    for base in ("hybrid", "hipporag")
    for name in ("ircot", "bdtr", "irgs", "tog", "gcot")
)
OVER_CHAIN = tuple(f"{name}:chain" for name in ("gear", "ircot", "bdtr"))
METHODS = (*SINGLE, *OVER_CHAIN, *ITERATIVE)
EVERYDAY_METHODS = (*SINGLE, *OVER_CHAIN, "ircot:hybrid", "bdtr:hybrid")
CASES = "case_study"  # shown question by question: three are too few for a mean
ENSEMBLE = "hipporag ensemble=uncertainty"


class Family(NamedTuple):
    """A method and its variants, each with the words that the table has for it.

    The first is the whole method.
    """

    title: str
    variants: dict[str, str]


FAMILIES = (
    Family(
        "HippoRAG, the ablations of its Table 5 and the ensemble of its App. F.2",
        {
            "hipporag": "HippoRAG",
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
ABLATIONS = tuple(words for family in FAMILIES for words in family.variants if words not in METHODS)


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
"""Further everyday text, beside the demo. Rules of `chain` were chosen with its figures in view
(docs/decisions/0057-what-chain-starts-from.md, 0058-papers-of-one-form.md)."""
HELD_OUT = tuple(f"genres/{name}" for name in ("hotel", "school", "lifeboat"))
"""And text that nothing was chosen by."""
SHARED = (
    *((name, "local", EVERYDAY_METHODS) for name in EVERYDAY),
    ("musique_openie", GPT, METHODS),
    ("musique_openie", "local", METHODS),
    ("musique_migres", "local", (*METHODS, *ABLATIONS)),
    ("2wiki_migres", "local", (*METHODS, *ABLATIONS)),
    ("hotpot_migres", "local", METHODS),
    ("musique_train2hop", "local", (*SINGLE, *OVER_CHAIN)),
    ("2wiki_train500", "local", (*SINGLE, *OVER_CHAIN)),
    (CASES, "local", (*METHODS, ENSEMBLE)),
)
OWN = (
    ("demo", "curated", METHODS),
    ("demo", "local", METHODS),
    *((name, "local", EVERYDAY_METHODS) for name in (*OTHER, *HELD_OUT)),
)


def sets(
    shared: Path, own: Path, names: Sequence[str] = (), methods: Sequence[str] = ()
) -> list[QuestionSet]:
    """The sets that are present, in the order of the report: those in `shared`, and the `own`.

    Only those named, only these methods, if any are.
    """
    planned = [(shared / name, triples, planned) for name, triples, planned in SHARED]
    planned += [(own / name, triples, planned) for name, triples, planned in OWN]
    return [
        QuestionSet(folder, triples, tuple(methods) or planned)
        for folder, triples, planned in planned
        if folder.is_dir() and (not names or {folder.name, folder.parent.name} & set(names))
    ]

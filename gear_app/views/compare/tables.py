"""The tables of a comparison as component data: words in cells, and from a cell into a run's step.

When each method first had each gold passage; what each has that the baseline has not; the methods
with their figures; where each ranks one passage.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from gear_app.analysis.metrics import recall_at
from gear_app.analysis.rankings import CUTS, keys
from gear_app.events import RankedPassage
from gear_app.runs.comparison import ComparedRun, Digest, FirstRank, NumberedGold, difference
from gear_app.text import count
from gear_app.views.compare.aligned_rankings import change_tone, change_words, gave_up_words, places
from gear_app.views.labels import dollars, duration, readable_time, rounds_of_links
from gear_app.views.origin_words import origin_words


class Go(NamedTuple):
    """Where a cell leads: a run's Explore view, at a step or where it opens by itself."""

    run: str
    step: int | None = None


class Piece(NamedTuple):
    """A word in a cell; `joined`: it stays on one line with the piece before it.

    `tone` is "top" (within the first k), "near" (not far), "absent", "yes", "no" or "quiet".
    """

    text: str
    tone: str = ""
    joined: bool = False


Cell = dict[str, Any]
Grid = dict[str, Any]

ABSENT = Piece("–", "absent")
ARROW = Piece("→", "quiet", joined=True)
ONE_STEP = "one step"
YES, NO = Piece("yes", "yes"), Piece("no", "no")


def hop_grid(columns: Sequence[ComparedRun], gold: Sequence[NumberedGold], k: int) -> Grid:
    """A row a gold passage: in which iteration and at which rank each method first had it.

    That is in its first k; beside it the final rank where that is another.
    """
    done = [column for column in columns if column.digest]
    heads = [_cell("Gold passage")]
    heads += [_cell(column.label, go=Go(column.run.id)) for column in done]
    rows = [[_gold_cell(row), *(_hop_cell(column, row.key, k) for column in done)] for row in gold]
    return {"head": heads, "rows": rows, "kind": "hops"}


def hop_rows(
    columns: Sequence[ComparedRun], gold: Sequence[NumberedGold], k: int
) -> list[dict[str, Any]]:
    """The same as a table, in words."""
    return [
        {"gold passage": f"★{row.number} {row.title}"}
        | {one.label: _hop_words(one.digest, row.key, k) for one in columns if one.digest}
        for row in gold
    ]


def _gold_cell(row: NumberedGold) -> Cell:
    hint = f"{row.question} → {row.answer}" if row.answer else row.question
    return _cell(
        Piece(f"★{row.number}", "star"),
        Piece(row.title, "name"),
        Piece(hint, "hint"),
        title=row.title,
    )


def _hop_cell(column: ComparedRun, key: str, k: int) -> Cell:
    """The step it opens is what brought the passage nearest, where it never came so high."""
    digest = column.digest
    assert digest
    first, passage = digest.first_within(key, k), digest.gold.get(key)
    step = passage.step if passage and passage.step is not None else digest.last_step
    if first:
        step = first.step
    how = f"; {origin_words(passage.origin)}" if passage else ""
    pieces = _hop_pieces(first, digest.rank(key), k, iterates=digest.iterates)
    return _cell(*pieces, go=Go(column.run.id, step), title=_hop_words(digest, key, k) + how)


def _hop_pieces(
    first: FirstRank | None, final: int | None, k: int, *, iterates: bool
) -> list[Piece]:
    if first is None:
        return [_rank_piece(final, k)]
    pieces = [_rank_piece(first.rank, k)]
    if iterates:
        pieces.append(Piece(f"it. {first.iteration}", "quiet", joined=True))
    if first.rank != final:
        pieces += [ARROW, _rank_piece(final, k, joined=True)]
    return pieces


def _hop_words(digest: Digest, key: str, k: int) -> str:
    first, final = digest.first_within(key, k), digest.rank(key)
    ends = f"final rank {final}" if final else "not in the final ranking"
    if first is None:
        return f"never in the first {k}, {ends}"
    when = f"iteration {first.iteration}, " if digest.iterates else ""
    words = f"{when}rank {first.rank}"
    return words if first.rank == final else f"{words}, {ends}"


def difference_grid(
    columns: Sequence[ComparedRun], gold: Sequence[NumberedGold], base: ComparedRun, k: int
) -> Grid:
    """A row a method: what its first k have that the baseline's have not, and how gold moved."""
    came, left = f"Came into the first {k}", f"Left the first {k}"
    heads = ["Method", "Gold", came, left, "Gold moved"] if gold else ["Method", came, left]
    others = [column for column in columns if column.digest and column is not base]
    rows = [_difference_row(column, gold, base, k) for column in others]
    return {"head": [_cell(head) for head in heads], "rows": rows, "kind": "differences"}


def _difference_row(
    column: ComparedRun, gold: Sequence[NumberedGold], base: ComparedRun, k: int
) -> list[Cell]:
    assert column.digest
    numbers = {row.key: row.number for row in gold}
    changed = difference(base.ranking, column.ranking, list(numbers), k)
    last = Go(column.run.id, column.digest.last_step)
    name = _cell(column.label, go=Go(column.run.id), strong=True)
    came, left = (_titles(of, numbers, last) for of in (changed.gained, changed.lost))
    if not gold:
        return [name, came, left]
    tone = change_tone(changed) or "quiet"
    moves: list[Piece] = []
    for key, before, after in changed.moves:
        moves += [Piece(f"★{numbers[key]}", "star"), _rank_piece(before, k, joined=True)]
        moves += [ARROW, _rank_piece(after, k, joined=True)]
    moved = _cell(*(moves or [Piece("none", "quiet")]), go=last)
    return [name, _cell(Piece(change_words(changed), tone)), came, left, moved]


def _titles(passages: Sequence[RankedPassage], numbers: dict[str, int], go: Go) -> Cell:
    """Titles in a row, gold ones first with their star."""
    stars, others = [], []
    for passage in passages:
        title = passage.name
        if passage.key in numbers:
            stars.append(Piece(f"★{numbers[passage.key]} {title}", "gold"))
        else:
            others.append(Piece(title, "item"))
    return _cell(*([*stars, *others] or [ABSENT]), go=go)


def method_grid(
    columns: Sequence[ComparedRun], gold: Sequence[NumberedGold], settings: Sequence[str]
) -> Grid:
    """A row a method: recall, iterations, time, why it stopped, settings that are not the defaults.

    Where a run wrote an answer, that and its EM and F1 as well; calls, tokens and cost where one
    asked a model.
    """
    heads = ["Method"]
    heads += [*(f"R@{k}" for k in CUTS), "All gold in 5"] if gold else []
    answered = any(column.digest and column.digest.answer for column in columns)
    heads += ["Answer", "EM", "F1"] if answered else []
    heads += ["Iterations", "Time"]
    asked = any(column.digest and column.run.spent.calls for column in columns)
    heads += ["Calls", "Tokens", "Cost"] if asked else []
    rows = [
        _method_row(column, gold, words, answered=answered, asked=asked)
        for column, words in zip(columns, settings, strict=True)
    ]
    heads += ["Stopped because", "Settings", "Made"]
    return {"head": [_cell(head) for head in heads], "rows": rows, "kind": "methods"}


def _method_row(
    column: ComparedRun,
    gold: Sequence[NumberedGold],
    settings: str,
    *,
    answered: bool,
    asked: bool,
) -> list[Cell]:
    run, done = column.run, column.digest is not None
    why, sentence = why_stopped(column)
    return [
        _cell(column.label, go=Go(run.id), strong=True),
        *(_recalls(column, [row.key for row in gold]) if gold else []),
        *(_answer(column) if answered else []),
        _iterations(column),
        _cell(duration(run.ms) if done else "–"),
        *(_spent(column) if asked else []),
        _cell(why, title=sentence),
        _cell(Piece(settings or "defaults", "" if settings else "quiet"), title=settings),
        _cell(Piece(readable_time(run.created), "quiet")),
    ]


def _iterations(column: ComparedRun) -> Cell:
    """How many iterations a run had; of a method that has none, as BM25 and chain, that it is of
    one step. A dash where the run has no ranking.
    """
    if column.digest is None:
        return _cell("–")
    if not column.digest.iterates:
        return _cell(Piece(ONE_STEP, "quiet"))
    return _cell(str(column.iterations))


def _recalls(column: ComparedRun, gold: Sequence[str]) -> list[Cell]:
    """R@k at every cut-off, and whether all gold is in the first five."""
    if column.measured is None:
        return [_cell(ABSENT)] * (len(CUTS) + 1)
    recalls = [recall_at(keys(column.ranking), gold, k) for k in CUTS]
    return [*(_cell(f"{recall:.2f}") for recall in recalls), _cell(YES if recalls[0] == 1 else NO)]


def _spent(column: ComparedRun) -> list[Cell]:
    """Calls with those kept and those not fully usable, tokens and dollars.

    A dash where the run has no ranking.
    """
    spent = column.run.spent
    if column.digest is None:
        return [_cell("–")] * 3
    kept = Piece(f"({spent.kept} kept)" if spent.kept else "", "quiet")
    short = Piece(f"{spent.unusable} not fully usable" if spent.unusable else "", "no")
    in_and_out = f"{spent.input_tokens:,} in, {spent.output_tokens:,} out"
    tokens = _cell(f"{spent.tokens:,}", title=in_and_out)
    return [_cell(f"{spent.calls:,}", kept, short), tokens, _cell(dollars(spent.cost))]


def _answer(column: ComparedRun) -> list[Cell]:
    """What the run wrote with its EM and F1; dashes for what is missing."""
    answer, absent = column.digest.answer if column.digest else None, _cell(ABSENT)
    if answer is None:
        return [absent] * 3
    words = _cell(Piece("no answer", "quiet"))
    if answer.answer:
        words = _cell(answer.answer, title=answer.answer)
    if answer.em is None or answer.f1 is None:
        return [words, absent, absent]
    return [words, _cell(YES if answer.em else NO), _cell(f"{answer.f1:.2f}")]


def why_stopped(column: ComparedRun) -> tuple[str, str]:
    """Why a run ended: a word or two, and the sentence."""
    digest = column.digest
    if digest is None:
        return column.run.state, column.run.message
    if digest.gave_up:
        return "a step gave up", gave_up_words(digest)
    if digest.why_stopped:
        return digest.why_stopped, digest.stop_sentence
    if digest.iterates:
        return "finished", ""
    rounds = rounds_of_links(digest.link_rounds)
    return rounds or ONE_STEP, f"It works in {rounds or ONE_STEP}, and that was it."


def note_grid(columns: Sequence[ComparedRun], gold: Sequence[NumberedGold], k: int) -> Grid | None:
    """What each iteration noted, facts of a gist memory or thoughts, beside the recall that a run
    came to (GEAR Table 13); None where no run noted anything.
    """
    noting = [(one, one.digest.notes) for one in columns if one.digest and one.digest.notes]
    if not noting:
        return None
    iterations = sorted({n for _, notes in noting for n in notes})
    heads = ["Method", *([f"R@{k}"] if gold else [])]
    heads += [f"Iteration {n}" if n else "Before any search" for n in iterations]
    rows = [
        [
            _cell(column.label, go=Go(column.run.id), strong=True),
            *([_recall_cell(column, [row.key for row in gold], k)] if gold else []),
            *(_cell(*(Piece(words, "item") for words in notes.get(n, ()))) for n in iterations),
        ]
        for column, notes in noting
    ]
    return {"head": [_cell(head) for head in heads], "rows": rows, "kind": "notes"}


def _recall_cell(column: ComparedRun, gold: Sequence[str], k: int) -> Cell:
    """Recall in the colour of all, some or none."""
    recall = recall_at(keys(column.ranking), gold, k)
    tone = "yes" if recall == 1 else "near" if recall else "no"
    return _cell(Piece(f"{recall:.2f}", tone))


def place_grid(columns: Sequence[ComparedRun], key: str, base: str | None, k: int) -> Grid:
    """Where each method ranks one passage, each with the way into its final ranking."""
    rows = []
    for column, rank, words in places(columns, key, base):
        last = Go(column.run.id, column.digest.last_step if column.digest else None)
        missing = Piece(f"not in its {count(len(column.ranking), 'passage')}", "absent")
        place = _rank_piece(rank, k) if rank else missing
        name = _cell(column.label, go=last, strong=True)
        rows.append([name, _cell(place), _cell(Piece(words, "quiet"))])
    heads = ("Method", "Rank", "Against the baseline")
    return {"head": [_cell(head) for head in heads], "rows": rows, "kind": "places"}


def _cell(
    *pieces: Piece | str, go: Go | None = None, title: str = "", strong: bool = False
) -> Cell:
    """A cell: its pieces, the step it opens, what it says when pointed at."""
    made = [Piece(piece) if isinstance(piece, str) else piece for piece in pieces]
    return {
        "pieces": [piece._asdict() for piece in made if piece.text],
        "go": go._asdict() if go else None,
        "title": title,
        "strong": strong,
    }


def _rank_piece(rank: int | None, k: int, *, joined: bool = False) -> Piece:
    """A rank in its colour; – for none."""
    if rank is None:
        return ABSENT._replace(joined=joined)
    if rank <= k:
        return Piece(str(rank), "top", joined)
    return Piece(str(rank), "near" if rank <= CUTS[-1] else "far", joined)

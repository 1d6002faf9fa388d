"""What brought a passage in, in words."""

from __future__ import annotations

from typing import get_args

from gear_app.analysis.passage_origin import PassageOrigin
from gear_app.analysis.paths import LinkPath, WalkPath
from gear_app.analysis.rankings import CUTS, within
from gear_app.text import cut
from gear_app.types import Form
from gear_app.views.labels import base_name
from gear_app.views.rankings import source

FEW = 3  # passages that name something; more are not "only" so many
LONGEST = 90  # characters of a query within a sentence


def origin_words(origin: PassageOrigin, *, over: bool = True) -> str:
    """What brought a passage in, in words; a promotion that moved it up is added to them.

    `over` False: the run goes on, and what did not happen yet may.
    """
    move = origin.promotion
    if move is None:
        return _origin_words(origin, over=over)
    promoted = f"promoted from rank {move.before} to {move.after} in iteration {move.iteration}"
    return f"{_origin_words(origin, over=over)}; {promoted}"


def _origin_words(origin: PassageOrigin, *, over: bool) -> str:
    match origin.how:
        case "nothing" if origin.better:
            return _better_words(origin, over=over)
        case "nothing":
            return "not found by any step" if over else "not found by any step so far"
        case "unraised" if origin.better:
            return _better_words(origin, over=over)
        case "unraised" if over:
            return f"only at rank {origin.rank} at the end; no step raised it"
        case "unraised":
            return f"at rank {origin.rank} of the ranking so far; no step has raised it there yet"
        case "gist":
            linked = source(origin.gist, origin.gist_texts) if origin.gist else ""
            when = _entry(origin) or f"in iteration {origin.iteration}"
            return f"{when} the gist memory linked to it, {linked}"
        case "first":
            asked = "with the question as asked" if origin.as_asked else "with the first query"
            by_link = f", by {link_words(origin.link)}" if origin.link else ""
            return f"{base_name(origin.base)} found it {asked}{by_link}"
        case "walk":
            return walk_words(origin.walk)
        case "link" | "way":
            near = "" if within(origin.rank, CUTS[0]) else f", to rank {origin.rank}"
            return (origin.way or link_words(origin.link)) + near
        case "beam":
            place = (
                f"{_entry(origin)} beam"
                if origin.entered
                else f"beam of iteration {origin.iteration}"
            )
            return f"{place if origin.iterates else 'beam'}: {_beam_words(origin)}"
        case "below":
            path = walk_words(origin.walk) or link_words(origin.link)
            way = f": {path}" if path else ""
            what = "no later step" if origin.link else "nothing"
            not_raised = f"; {what} raised it" if over else f"; {what} has raised it so far"
            if origin.better:
                not_raised = f"; {_better_words(origin, over=over)}"
            raised = "" if origin.raised else not_raised
            return f"{base_name(origin.base)} at rank {origin.rank}{way}{raised}"
        case "later":
            return _later_words(origin)


def _better_words(origin: PassageOrigin, *, over: bool) -> str:
    """That a list had it higher than the run has it."""
    better = origin.better
    assert better is not None
    where = f"iteration {better.iteration}" if origin.iterates else "a step"
    ranking = "the final ranking" if over else "the ranking so far"
    ends = f"has it at {better.own}" if better.own else "does not have it"
    return f"{where} had it at rank {better.rank}, but {ranking} {ends}"


def _entry(origin: PassageOrigin) -> str:
    """When it first was among the first five of the ranking so far; a column of the table may have
    had it earlier. "" where it was not, or there is no such ranking.
    """
    if not origin.entered:
        return ""
    return f"in the top {CUTS[0]} so far since iteration {origin.iteration},"


def _later_words(origin: PassageOrigin) -> str:
    """Whose query found it, and the walk or beam that led to it."""
    place = _entry(origin).rstrip(",") or f"found in iteration {origin.iteration}"
    if not origin.top:
        place = f"nearest in iteration {origin.iteration}, at rank {origin.rank}"
    path = walk_words(origin.walk) or link_words(origin.link)
    if origin.beam:
        path = f"beam: {_beam_words(origin)}"
    return f"{place}, by {_query_words(origin)}" + (f": {path}" if path else "")


def _query_words(origin: PassageOrigin) -> str:
    thought = origin.thought
    if thought:
        kind = f"{thought.style} thought" if thought.style in ("fast", "slow") else "thought"
        if thought.style in get_args(Form):
            return f"the agent’s own query “{cut(thought.query, LONGEST)}”"
        words = cut(thought.text, LONGEST)
        return f"the {kind} of iteration {thought.iteration} as a query, “{words}”"
    inserted = " and ".join(f"“{words}”" for words in origin.inserted)
    query = f"its query, with {inserted} put in" if inserted else "its query"
    if not origin.joins:
        return query
    names = " or ".join(
        join.entity + (" or a synonym" if join.synonyms else "") for join in origin.joins
    )
    number = f"{origin.joins[0].passages} " if len(origin.joins) == 1 else ""
    return f"{query}, among the {number}passages that name {names}"


def walk_words(path: WalkPath | None) -> str:
    """The way of HippoRAG's walk to a passage; "" where none is known."""
    if path is None:
        return ""
    return f"the walk: {' → '.join(path.names)}, named in {path.triples} of its triples"


def link_words(path: LinkPath | None) -> str:
    """The link that leads to a passage; "" where there is none."""
    if path is None:
        return ""
    only = "only " if path.passages <= FEW else ""
    held = f"{only}{path.passages} of {path.size} passages do"
    return f"a link: {path.start} names {path.mention}, and {held}"


def _beam_words(origin: PassageOrigin) -> str:
    return "; ".join(one.text for one in origin.beam)

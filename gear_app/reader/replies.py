"""Parsers of a language model's replies: a function for each role, named like its prompt's file.

The form is forgiven (labels, quotes, bold type, JSON where lines were asked for), the content never
added to. Each returns the value and the pieces it could not use, or raises Unparsed. Triples and
entities are parsed by `gear_app.llm.reply_parser`, since the extractor needs them as well.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from gear_app.llm import reply_parser
from gear_app.llm.reply_parser import (
    Parsed,
    Unparsed,
    at_least_one,
    fields,
    groups,
    reply_text,
    says_none,
    values,
    without_example,
)
from gear_app.text import cut
from gear_app.types import (
    Action,
    Analysis,
    DualThoughts,
    ProximalTriple,
    Reading,
    ReasoningChain,
    Rewriting,
    Summary,
    Thinking,
    Verdict,
    Verification,
)

LONGEST_QUERY = 1_000  # characters; more is a model that goes on without end
LONGEST_THOUGHT = LONGEST_REPORT = LONGEST_SUMMARY = 2_000
MOST_NODES = 30

_ARROW = re.compile(r"\s*(?:→|⟶|⇒|➔|-{1,3}>|={1,2}>)\s*")
_CONTINUES = re.compile(r"\n\s*(?=→|⟶|⇒|➔|-{1,3}>|={1,2}>)|(?<=[→⟶⇒➔>])[^\S\n]*\n\s*")
# Not "Yes/No", the form itself.
_YES_OR_NO = re.compile(r"\W*(?:(yes|true)|(no|false))\b(?!\s*[/|])", re.IGNORECASE)
_DECIDED = re.compile(r"answerable\W{1,6}(yes|no)\b", re.IGNORECASE)
_FINAL = re.compile(
    r"(?:^|[.!?\n][\"')*\s]*)\W{0,3}(?:so,? the (?:final )?answer is\s*:?|the (?:final )?answer"
    r" is\s*:)",
    re.IGNORECASE,
)
_NUMBER = re.compile(r"[^\w-]*(?:(?:doc(?:ument)?|fact)s?[^\w-]*)?(-?\d{1,4})\W*", re.IGNORECASE)
_LABEL = re.compile(
    r"\W*(?:the\s+)?(?:next\s+|my\s+)?(?:thought|judge?ment|answer(?!\s+is)|chain)(?:\s*\d+)?(?:\s+is)?[^\w\n]{0,3}:\s*",
    re.IGNORECASE,
)
_ACTION = re.compile(
    r"<search>(?P<query>.*?)(?:</search>|\Z)|<answer>(?P<answer>.*?)(?:</answer>|\Z)"
    r"|<\|begin_search_query\|>(?P<query_o1>.*?)(?:<\|end_search_query\|>|\Z)"
    r"|\\boxed\{(?:\\text\{)?(?P<answer_o1>[^{}]*)\}{1,2}",
    re.IGNORECASE | re.DOTALL,
)
_MARKS = re.compile(r"</?(?:think|search|answer)>", re.IGNORECASE)
_ENDING = re.compile(r"[.\s$\\\])*]+\Z")
_LIST_MARKS = re.compile(r"^(?:[\s*_`>•–-]|\d{1,2}[.)](?=\s))+|[\s*_`]+$")


def read(prompt: str, documents: str, reply: str) -> Parsed[Reading]:
    """Proximal triples (GEAR K.2), in the order written, without the prompt's own example."""
    example = reply_parser.triples(prompt).value
    parsed = at_least_one(without_example(reply_parser.triples(reply), example, documents))
    return Parsed(Reading(tuple(ProximalTriple(*row) for row in parsed.value)), parsed.dropped)


def reason(reply: str) -> Parsed[Verdict]:
    """A verdict (GEAR K.2): `Answerable: Yes` and `Answer:`, or `Answerable: No` and `Why:`."""
    text = reply_text(reply)
    named = _labelled(text, "answerable", "answer", "why", "reason") | fields(text)
    decided = _YES_OR_NO.match(named.get("answerable", text))
    if not decided or len({mark.lower() for mark in _DECIDED.findall(text)}) > 1:
        raise Unparsed("does not say whether the question is answerable")
    why = _line(named.get("why") or named.get("reason", ""))
    return Parsed(
        Verdict(bool(decided[1]), why, _bare(named.get("answer", "")) if decided[1] else "")
    )


def rewrite(reply: str) -> Parsed[Rewriting]:
    """The next query (GEAR K.2): after its label, or the only line, or the first question.

    "none" is empty.
    """
    text = reply_text(reply)
    named = _labelled(text, "next question", "question", "next query", "query") | fields(text)
    labelled = next(
        (value for name, value in named.items() if "question" in name or "query" in name), ""
    )
    lines = [line for line in map(_bare, (labelled or text).splitlines()) if line]
    if says_none(text) or (lines and says_none(lines[0])):
        return Parsed(Rewriting(""))
    queries = lines if len(lines) == 1 else [line for line in lines if line.endswith("?")]
    if not queries or len(queries[0]) > LONGEST_QUERY:
        raise Unparsed("holds no question of a usual length")
    return Parsed(Rewriting(queries[0]))


def query_entities(prompt: str, question: str, reply: str) -> Parsed[tuple[str, ...]]:
    """The question's entities (HippoRAG App. I), in its order and spelling.

    Those that it spells otherwise come last.
    """
    example = reply_parser.entities(prompt).value
    parsed = at_least_one(without_example(reply_parser.entities(reply), example, question))
    places = {name: re.search(re.escape(name), question, re.IGNORECASE) for name in parsed.value}
    inside = sorted((place.span(), place[0]) for place in places.values() if place)
    others = [name for name, place in places.items() if not place]
    return Parsed(tuple(dict.fromkeys([*(name for _, name in inside), *others])), parsed.dropped)


def report(reply: str) -> Parsed[str]:
    """A report in one line (GraphRAG); what is beyond LONGEST_REPORT is dropped."""
    text = _line(reply_text(reply))
    return Parsed(text[:LONGEST_REPORT], tuple(filter(None, [text[LONGEST_REPORT:]])))


def thought(reply: str) -> Parsed[Thinking]:
    """One thought (BDTR Fig. 10 to 12); final where a sentence begins "So the answer is:"."""
    text = _unlabelled(reply_text(reply))
    if says_none(text):
        return Parsed(Thinking(""))
    final = _FINAL.search(text)
    answer = _bare(_line(text[final.end() :])) if final else ""
    if final and not answer:
        raise Unparsed("says that it has the answer, and gives none")
    return Parsed(Thinking(_thought(text), final is not None, answer))


def irgs(reply: str) -> Parsed[Thinking]:
    """Reasoning and a final answer (BDTR Fig. 13); either may be missing."""
    text = reply_text(reply)
    named = _labelled(text, "reasoning", "brief reasoning", "final answer") | fields(text)
    answer = _bare(named.get("final answer", ""))
    before = re.split(r"(?mi)^\W*(?:2\W+)?final answer\b", text)[0]
    reasoning = named.get("reasoning") or named.get("brief reasoning") or before
    return Parsed(Thinking(_thought(reasoning.strip() or answer), answer=answer))


def thoughts(reply: str) -> Parsed[DualThoughts]:
    """A fast and a slow thought (BDTR Fig. 8); one that is missing or without end is empty."""
    text = reply_text(reply)
    named = _labelled(text, "fast thought", "slow thought", "fast", "slow") | fields(text)
    both = [
        _line(_bare(named.get(f"{kind} thought") or named.get(kind, "")))
        for kind in ("fast", "slow")
    ]
    fast, slow = (words if len(words) <= LONGEST_QUERY else "" for words in both)
    if not fast and not slow:
        raise Unparsed("holds neither a fast nor a slow thought")
    return Parsed(
        DualThoughts(fast, slow), tuple(words for words in both if len(words) > LONGEST_QUERY)
    )


def act(reply: str) -> Parsed[Action]:
    """An agent's thought and the first action after it: a query or an answer between their marks,
    in either form. What it wrote after that, as documents that nobody found, is dropped. Neither a
    query nor an answer: no action.
    """
    if len(reply) > reply_parser.MAX_REPLY or not reply.strip():
        raise Unparsed("is empty" if not reply.strip() else "is too long to be one")
    after_thinking = reply.rfind("</think>") + 1
    action = _ACTION.search(reply, after_thinking) or _ACTION.search(reply)
    end = action.start() if action else len(reply)
    thought = _line(_MARKS.sub(" ", reply[:end]))[:LONGEST_THOUGHT]
    if action is None:
        return Parsed(Action(thought))
    rest = _ENDING.sub("", _MARKS.sub("", reply[action.end() :])).strip()
    words = _bare(_line(next(filter(None, action.groups()), "")))[: LONGEST_QUERY + 1]
    words = words if len(words) <= LONGEST_QUERY else ""
    searched = action.lastgroup in ("query", "query_o1")
    found = Action(thought, query=words) if searched else Action(thought, answer=words)
    return Parsed(found, (rest,) if rest else ())


def analyse(reply: str) -> Parsed[Analysis]:
    """What documents say for a query (Search-o1), without the label."""
    text = reply_text(reply)
    return Parsed(
        Analysis(_line(re.sub(r"^\W*final information\W*", "", text, flags=re.IGNORECASE)))
    )


def summarise(reply: str) -> Parsed[Summary]:
    """A summary on one line, without the label, cut where it is far longer than was asked for."""
    text = _line(re.sub(r"^\W*summary\W*:\W*", "", reply_text(reply), flags=re.IGNORECASE))
    if not text or says_none(text):
        raise Unparsed("holds no summary")
    return Parsed(Summary(cut(text, LONGEST_SUMMARY)))


def chain(reply: str) -> Parsed[ReasoningChain]:
    """A chain with arrows (BDTR §3.2), on one line or on several that begin or end with one.

    "none" has no nodes.
    """
    text = reply_text(reply)
    if says_none(text):
        return Parsed(ReasoningChain())
    lines = [line for line in _CONTINUES.sub(" ", text).splitlines() if _ARROW.search(line)]
    if lines:
        nodes = _ARROW.split(_unlabelled(lines[0]))
    else:
        listed = [values(group) for group in groups(text) if group.kind == "[" and group.own]
        nodes = next((items for items in listed if isinstance(items, list)), [])
    bare = [node for node in map(_bare, nodes) if node]
    distinct = [node for node, before in zip(bare, ["", *bare], strict=False) if node != before]
    if len(distinct) < 2:
        raise Unparsed("holds no chain of nodes with arrows")
    if len(distinct) > MOST_NODES:
        raise Unparsed(f"is a chain of {len(distinct)} nodes")
    return Parsed(ReasoningChain(tuple(distinct)))


def verify(reply: str) -> Parsed[Verification]:
    """The numbers of the documents that support the chain (BDTR Fig. 9), as the reply has them."""
    parsed = _numbers(reply, ("ind", "doc"), "document")
    return Parsed(Verification(parsed.value), parsed.dropped)


def choose_facts(given: int, reply: str) -> Parsed[tuple[int, ...]]:
    """The places from 0 of facts that were chosen of so many; numbers of none are dropped. Raises
    Unparsed where it names some and none of those.
    """
    parsed = _numbers(reply, ("fact",), "fact")
    if (parsed.value or parsed.dropped) and not any(1 <= n <= given for n in parsed.value):
        raise Unparsed("holds no number of a fact that was given")
    known = tuple(dict.fromkeys(n - 1 for n in parsed.value if 1 <= n <= given))
    unknown = tuple(str(n) for n in parsed.value if not 1 <= n <= given)
    return Parsed(known, (*parsed.dropped, *unknown))


def _numbers(reply: str, names: Sequence[str], of: str) -> Parsed[tuple[int, ...]]:
    """The numbers of a list, of a field with one of these in its name, or of the whole reply."""
    text = reply_text(reply)
    listed = [group.text for group in groups(text) if group.kind in "[(" and group.own][:1]
    named = [value for name, value in fields(text).items() if any(part in name for part in names)]
    pieces = [
        piece
        for piece in re.split(r"[,;\n]|\band\b", (listed or named or [text])[0])
        if re.search(r"\w", piece)
    ]
    numbers = [_NUMBER.fullmatch(piece) for piece in pieces]
    dropped = tuple(
        piece.strip() for piece, number in zip(pieces, numbers, strict=True) if not number
    )
    if not listed and not says_none(text) and (dropped or not numbers):
        raise Unparsed(f"holds no list of {of} numbers")
    found = tuple(int(number[1]) for number in numbers if number)
    return Parsed(found, dropped if listed else ())


def answer(reply: str) -> Parsed[str]:
    """A short answer (GEAR K.3): the first line with words, without its label."""
    lines = map(_bare, _unlabelled(reply_text(reply)).splitlines())
    first = next((line for line in lines if line), "")
    if not first:
        raise Unparsed("holds no answer")
    return Parsed(first)


def _labelled(text: str, *names: str) -> dict[str, str]:
    """What follows these labels, "Fast thought: …", each up to the next; the first of each."""
    label = re.compile(
        r"^[^\w\n]*(?:\d\W+)?("
        rf"{'|'.join(name.replace(' ', '[ _-]') for name in names)})\W{{0,4}}?:[^\S\n*]*\**",
        re.IGNORECASE | re.MULTILINE,
    )
    labelled: dict[str, str] = {}
    places = list(label.finditer(text))
    ends = [place.start() for place in places[1:]] + [len(text)]
    for place, end in zip(places, ends, strict=False):
        name = re.sub(r"[_-]", " ", place[1].lower())
        labelled.setdefault(name, text[place.end() : end].strip())
    return labelled


def _unlabelled(text: str) -> str:
    label = _LABEL.match(text)
    return text[label.end() :] if label else text


def _thought(text: str) -> str:
    words = _bare(_line(_unlabelled(text)))
    if not words or len(words) > LONGEST_THOUGHT:
        raise Unparsed(f"is a thought of {len(words):,} characters")
    return words


def _line(text: str) -> str:
    return " ".join(text.split())


def _bare(text: str) -> str:
    """A line without the list marks, bold type and quotes around it."""
    words = _LIST_MARKS.sub("", text).strip()
    inside = words[1:-1]
    quoted = (
        len(words) > 1 and words[0] + words[-1] in ('""', "''", "“”") and words[0] not in inside
    )
    return inside.strip() if quoted else words

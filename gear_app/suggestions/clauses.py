"""The clauses of a question: a phrase that stands for an entity without naming it, and a question
that asks for one side of a triple. "" where none would read well.
"""

from __future__ import annotations

from gear_app.english.answer_types import is_date
from gear_app.english.words import word_set
from gear_app.suggestions.names import KnownNames, is_person_noun
from gear_app.suggestions.relation import PredicateParts

WHERE = word_set("in at on near from")
_WHEN = word_set("in on")
_PLACED = word_set(
    "born died buried raised educated located situated based built made held found recorded filmed"
    " shot printed lived lives studied worked works grew moved stands lies died settled stayed"
    " taught teaches performed kept stored stood lay met served serves spent"
)
_OF_PEOPLE = word_set(
    "brother sister father mother son daughter wife husband uncle aunt nephew niece cousin widow"
    " friend pupil student teacher owner director author editor leader manager boss assistant"
)


def standing_for(
    found: PredicateParts, *, subject: bool, other: str, names: KnownNames, name: str
) -> str:
    """A phrase for `name`, one side of a triple (`subject`: the first), by its `other` side.

    "the director of Blade Runner", "the town where Ada Quill was born".
    """
    agent = found.agent
    if agent and subject == (found.kind == "action"):
        return f"the {agent} of {other}"
    match found.kind:
        case "key":
            return "" if subject else f"the {found.verb} of {other}"
        case "role":
            return f"the {found.verb} of {other}" if subject else ""
        case _:
            return _clause(found, subject=subject, other=other, names=names, name=name)


def _clause(
    found: PredicateParts, *, subject: bool, other: str, names: KnownNames, name: str
) -> str:
    noun = names.noun(name)
    if subject and found.preposition in WHERE | {"to", "for", "of", "as"}:
        return ""  # many others were born there, too
    if subject:
        who = "who" if names.is_person(name) else "that"
        return f"the {noun} {who} {found.finite} {other}" if noun else ""
    if found.kind == "passive" and found.be in ("was", "were"):
        who = "who" if names.is_person(name) else "that"
        return f"the {noun} {who} {found.past} {other}" if noun else ""
    preposition, verb = found.preposition, _without_preposition(found)
    if preposition in WHERE and _is_where(found, name, names):
        return f"the {_place_noun(noun)} where {other} {verb}"
    if not noun:
        return ""
    if preposition:
        which = "whom" if names.is_person(name) else "which"
        return f"the {noun} {preposition} {which} {other} {verb}"
    return f"the {noun} that {other} {verb}"


def _place_noun(noun: str) -> str:
    return "place" if not noun or is_person_noun(noun) else noun


def _is_where(found: PredicateParts, name: str, names: KnownNames) -> bool:
    if is_date(name) or found.preposition == "from":
        return False
    placed = found.verb in _PLACED or (found.kind == "state" and not found.verb)
    return placed and not names.is_person(name)


def _without_preposition(found: PredicateParts) -> str:
    return found.finite.removesuffix(f" {found.preposition}") if found.preposition else found.finite


def asking_object(found: PredicateParts, *, phrase: str, answer: str, names: KnownNames) -> str:
    """The question for a triple's object, `phrase` in its subject's place."""
    verb = found.asked
    if found.kind == "passive":
        return f"Who {found.past} {phrase}?" if _does(answer, names) else ""
    if found.kind == "key":
        who = "Who" if names.is_person(answer) else "What"
        if who == "What" and found.verb.split()[-1] in _OF_PEOPLE:
            who = "Who"
        return f"{who} is the {found.verb} of {phrase}?"
    if found.kind == "role":
        return _asking_role(found, phrase, answer, names)
    if found.kind == "action":
        verb = verb.removesuffix(f" {found.preposition}") if found.preposition else verb
    return _asking_clause(found, verb, phrase, answer, names)


def _asking_clause(
    found: PredicateParts, verb: str, phrase: str, answer: str, names: KnownNames
) -> str:
    preposition = found.preposition
    middle = f"{found.auxiliary} {phrase} {verb}".strip()
    where = phrase.startswith("the place where")
    if is_date(answer):
        return f"When {middle}?" if preposition in _WHEN else ""
    if preposition in WHERE and _is_where(found, answer, names):
        return "" if where else f"Where {middle}?"
    if preposition == "from" and found.verb in ("came", "comes", "come"):
        return f"Where {middle} from?"
    if found.kind == "state" and not found.verb:
        return ""
    noun = names.noun(answer)
    if noun == "person" or (not noun and names.is_person(answer)):
        what = "whom" if preposition else "Who"
    elif noun:
        what = f"which {noun}"
    else:
        what = "" if preposition else "what"
    if not what or where:
        return ""
    asked = f"{preposition} {what} {middle}?".strip() if preposition else f"{what} {middle}?"
    return asked[0].upper() + asked[1:]


def _asking_role(found: PredicateParts, phrase: str, answer: str, names: KnownNames) -> str:
    noun = names.noun(answer)
    if found.verb in _OF_PEOPLE and names.is_person(answer):
        return f"Whose {found.verb} {found.be} {phrase}?"
    if noun and not names.is_person(answer):
        return f"Of which {noun} {found.be} {phrase} the {found.verb}?"
    return ""


def asking_subject(found: PredicateParts, *, phrase: str, answer: str, names: KnownNames) -> str:
    """The question for a triple's subject, `phrase` in its object's place."""
    there = found.preposition in WHERE | {"to"} and found.kind != "role"
    if found.kind == "key" or there:
        return ""
    noun = names.noun(answer)
    if found.kind == "role" and (found.verb in _OF_PEOPLE or is_person_noun(found.verb)):
        who = "Who"
    elif names.is_person(answer):
        who = f"Which {noun}" if noun and noun != "person" else "Who"
    elif noun:
        who = f"Which {noun}"
    else:
        who = "Who" if found.agent and found.kind == "action" else "What"
    return f"{who} {found.finite} {phrase}?"


def _does(answer: str, names: KnownNames) -> bool:
    """Whether "who" may ask for it: a name, of a person or of those who do things together."""
    return not is_date(answer) and not names.is_place(answer) and bool(answer)

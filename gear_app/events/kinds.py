"""The kinds of events and the steps of the pipeline, by name: all that the modules define."""

from __future__ import annotations

from collections.abc import Mapping

from gear_app.events import calls, chain, gear, griever, hipporag, iterative, run
from gear_app.events.base import Event, Verb

MODULES = (run, gear, hipporag, iterative, griever, chain, calls)

KINDS: Mapping[str, type[Event]] = {
    name: kind
    for module in MODULES
    for name, kind in vars(module).items()
    if name in module.__all__ and issubclass(kind, Event)
}

VERBS: Mapping[str, Verb] = {
    verb.name: verb
    for module in MODULES
    for verb in vars(module).values()
    if isinstance(verb, Verb)
}

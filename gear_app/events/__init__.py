"""Everything that happens in a run, as frozen values. The list of events is the run; a screen draws
nothing else.

A sink is any callable: `events.append` records. Events carry the words they show, so that nobody
looks anything up or computes a score again. Time is the recorder's business, not an event's.

A kind is a class in one of the modules below, named in its `__all__`, and stands in no other list:
from there it is stored and read back, told on the command line and made a step of the run.
"""

from __future__ import annotations

from gear_app.events import base
from gear_app.events.base import *
from gear_app.events.calls import *
from gear_app.events.chain import *
from gear_app.events.community import *
from gear_app.events.gear import *
from gear_app.events.griever import *
from gear_app.events.hipporag import *
from gear_app.events.iterative import *
from gear_app.events.network import *
from gear_app.events.rerank import *
from gear_app.events.rows import KINDS, MODULES, VERBS, from_row, to_row
from gear_app.events.run import *
from gear_app.events.tree import *

__all__ = ["KINDS", "VERBS", "from_row", "to_row"]
for module in (base, *MODULES):
    __all__ += module.__all__

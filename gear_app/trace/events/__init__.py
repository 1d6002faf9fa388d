"""Everything that happens in a run, as frozen values. The list of events is the run; a screen draws
nothing else.

A sink is any callable: `events.append` records. Events carry the words they show, so that nobody
looks anything up or computes a score again. Time is the recorder's business, not an event's.

A kind is a subclass of `Event` in one of the modules below, and stands in no other list: from there
it is stored and read back, told on the command line and made a step of the run.
"""

from gear_app.trace.events.base import *
from gear_app.trace.events.chain import *
from gear_app.trace.events.gear import *
from gear_app.trace.events.graph_walks import *
from gear_app.trace.events.griever import *
from gear_app.trace.events.iterative import *
from gear_app.trace.events.orders import *
from gear_app.trace.events.pipeline import VERBS as VERBS
from gear_app.trace.events.pipeline import Verb as Verb
from gear_app.trace.events.run import *
from gear_app.trace.events.values import from_row as from_row
from gear_app.trace.events.values import to_row as to_row

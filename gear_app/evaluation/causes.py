"""The cause of every gold passage that an evaluation's methods miss (trace.lost)."""

from __future__ import annotations

import pandas as pd

from gear_app.core.errors import GearError
from gear_app.evaluation.evaluation import Evaluation
from gear_app.evaluation.measures import PLACE
from gear_app.trace.lost import Cause
from gear_app.workspace.workspace import Workspace


def missed_passages(workspace: Workspace, evaluation: Evaluation, k: int) -> pd.DataFrame:
    """Gold passages that are not among the first k, each with its `cause`, in the order of the
    steps; from stored events, without loading a model. None of run files, which have no events, and
    of failed runs.
    """
    gold = evaluation.gold.join(evaluation.measured.set_index(PLACE)["run"], on=PLACE)
    missed = gold[
        ~(gold["rank"] <= k) & (gold["run"] != "") & gold["method"].isin(evaluation.methods)
    ]
    rows = missed[[*PLACE, "key", "run"]].assign(cause="")
    for at, run, key in rows[["run", "key"]].itertuples():
        try:
            rows.loc[at, "cause"] = workspace.why_not.explain(run, key, k).cause.value
        except GearError:  # its collection was deleted
            continue
    order = [cause.value for cause in Cause if cause is not Cause.FOUND]
    rows = rows[rows["cause"].isin(order)]
    return rows.sort_values("cause", key=lambda causes: causes.map(order.index), kind="stable")

"""Measuring methods on a workspace's questions, and the tables in docs/results."""

from gear_app.evaluate.evaluation import Evaluation, Row
from gear_app.evaluate.measure import evaluate

__all__ = ["Evaluation", "Row", "evaluate"]

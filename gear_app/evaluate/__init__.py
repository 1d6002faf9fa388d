"""Measuring methods on a workspace's questions."""

from gear_app.evaluate.evaluation import Evaluation
from gear_app.evaluate.service import EvaluationService

__all__ = ["Evaluation", "EvaluationService"]

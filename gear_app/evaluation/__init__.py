"""Measuring methods on a workspace's questions."""

from gear_app.evaluation.evaluation import Evaluation
from gear_app.evaluation.service import EvaluationService

__all__ = ["Evaluation", "EvaluationService"]

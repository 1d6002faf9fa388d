"""Measuring methods: metrics, experiments on a workspace's questions, and the tables in docs/results."""

from gear_app.evaluate.experiment import Evaluation, Row, evaluate

__all__ = ["Evaluation", "Row", "evaluate"]

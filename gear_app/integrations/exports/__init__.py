"""Runs and collections in the formats of other tools."""

from gear_app.integrations.exports import collections, runs
from gear_app.integrations.exports.form import COLLECTION, FORMS, RUNS, Options

__all__ = ["COLLECTION", "FORMS", "RUNS", "Options", "collections", "runs"]

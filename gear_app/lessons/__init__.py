"""Lessons on live runs: pages with a text, a picture of a step, and a task to predict."""

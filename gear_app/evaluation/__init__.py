"""Measuring methods on a workspace's questions."""

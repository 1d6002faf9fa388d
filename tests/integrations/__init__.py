"""Retrievers for the frameworks that people build with."""

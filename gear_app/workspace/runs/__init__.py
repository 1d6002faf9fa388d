"""Runs: asked for, queued, made, recorded, answered, made again, handed out."""

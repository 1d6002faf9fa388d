"""Runs as pages of their own: one HTML file that opens from a disk, without network or server."""

"""What pages tell as plain values, and the renderers of these values."""

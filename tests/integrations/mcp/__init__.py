"""What assistants ask."""

"""Steps of a run as plain values, from which screens, slides, pages and terminals are derived."""

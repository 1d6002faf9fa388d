"""The process in which heavy work happens: its lock, who keeps it alive, what it does next."""

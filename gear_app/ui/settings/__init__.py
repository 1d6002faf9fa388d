"""The page Settings: language model, costs, what is installed."""

"""The page Settings: language model, costs, index, cluster, what is installed."""

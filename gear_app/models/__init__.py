"""Language models: servers, keys, requests, replies, budgets and prices. The place that knows the
network.
"""

"""gear_app: explore multi-hop retrieval, step by step, with arithmetic one can check and change."""

__version__ = "0.1.0"

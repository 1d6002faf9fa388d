"""Retrievers for the frameworks that people build with: LangChain, LlamaIndex, PyTerrier.

`search` asks a collection and gives its passages as plain values; each of the others is one file
that hands them on in a framework's own form and imports no other framework.
"""

APP = "http://127.0.0.1:8501"  # where people open the application, unless somebody says otherwise

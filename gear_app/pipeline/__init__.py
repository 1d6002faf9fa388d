"""A collection built in a cluster from files, by several processes or machines: read, extract,
count, encode and load, with the functions that an import in a workspace has.
"""

"""Collections in a cluster: pushed there from a workspace, or built from files by several processes
or machines; listed, checked, dropped, and opened in a workspace.
"""

"""What other programs ask over the Model Context Protocol: searches and what lies behind them.

`tools` are plain methods over a workspace, `server` puts them behind the protocol.
"""

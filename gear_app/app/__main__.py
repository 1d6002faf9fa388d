"""`python -m gear_app.app run FILE` is `streamlit run FILE` that Ctrl+C ends without complaint."""

from __future__ import annotations

import runpy
import signal
import sys

if __name__ == "__main__":
    # What serves FILE has its own handler and comes back to this one once all is closed.
    signal.signal(signal.SIGINT, lambda *_: sys.exit(0))
    runpy.run_module("streamlit", run_name="__main__", alter_sys=True)

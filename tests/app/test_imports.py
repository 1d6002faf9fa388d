from __future__ import annotations

import subprocess
import sys
from pathlib import Path

SCRIPT = """
import sys
from streamlit.testing.v1 import AppTest
from gear_app.workspace.workspace import Workspace
Workspace.ensure_worker = lambda self: None
at = AppTest.from_file(sys.argv[1], default_timeout=60).run()
assert not at.exception, at.exception
for screen in ("collections", "settings"):
    at.switch_page(f"{screen}/page.py").run()
    assert not at.exception, at.exception
heavy = sorted({"torch", "spacy", "sentence_transformers", "transformers", "openai"} & set(sys.modules))
print("heavy:", heavy)
"""


def test_the_web_process_imports_no_model_library(tmp_path: Path) -> None:
    import os

    import gear_app

    main = Path(gear_app.__file__).parent / "app" / "navigation.py"
    found = subprocess.run(
        [sys.executable, "-c", SCRIPT, str(main)],
        env={
            **os.environ,
            "GEAR_WORKSPACE": str(tmp_path / "w.db"),
            "PYTHONPATH": os.pathsep.join(sys.path),
        },
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert found.returncode == 0, found.stderr[-2000:]
    assert found.stdout.strip().endswith("heavy: []")

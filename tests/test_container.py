"""The container file and devcontainer.json name files, commands and targets that exist."""

from __future__ import annotations

import json
import re
from pathlib import Path

from gear_app.cli import parser

ROOT = Path(__file__).parents[1]
FOLDER = ROOT / "docs" / "container"
FILE = (FOLDER / "Containerfile").read_text("utf-8")


def test_copied_files_exist() -> None:
    copied = re.findall(r"^COPY (?!--from)(.+) \S+$", FILE, re.MULTILINE)
    names = [name for words in copied for name in words.split()]
    assert names and not [name for name in names if not (ROOT / name).exists()]
    assert {"pyproject.toml", "gear_app", "data", "constraints.txt"} <= set(names)


def test_its_commands_can_be_parsed() -> None:
    (command,) = re.findall(r"^CMD (\[.*\])$", FILE, re.MULTILINE)
    words = json.loads(command)[-1]
    given = re.findall(r"gear-app ([^;]+)", words)
    assert [parser().parse_args(one.split()).command.__name__ for one in given] == ["demo", "serve"]

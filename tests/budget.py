"""Checks that no room of the package has more statements than its budget in pyproject.toml.

A room's number is lowered when the room shrinks; to raise it takes a sentence in the commit.
"""

from __future__ import annotations

import ast
import sys
import tomllib
from pathlib import Path

ROOT = Path(__file__).parents[1]


def statements(room: Path) -> int:
    """Number of statements in the Python files of a folder, docstrings included."""
    trees = (ast.parse(file.read_text(encoding="utf-8")) for file in room.rglob("*.py"))
    return sum(isinstance(node, ast.stmt) for tree in trees for node in ast.walk(tree))


def main() -> int:
    """Print each room that exceeds its budget, or has none; 1 where there is such a room."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    budgets: dict[str, int] = project["tool"]["gear_app"]["budget"]
    rooms = {path.parent.name: path.parent for path in (ROOT / "gear_app").glob("*/__init__.py")}
    problems = [f"{name}: no budget in pyproject.toml" for name in sorted(rooms.keys() - budgets)]
    problems += [f"{name}: no such room" for name in sorted(budgets.keys() - rooms)]
    for name in sorted(rooms.keys() & budgets):
        if (size := statements(rooms[name])) > budgets[name]:
            problems.append(f"{name}: {size:,} statements, the budget is {budgets[name]:,}")
    print(*problems, sep="\n", end="\n" * bool(problems))
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())

from __future__ import annotations

import re
import tomllib
from pathlib import Path

import pytest

from gear_app.display.palette import DARK, LIGHT, Palette

ROOT = Path(__file__).parents[2]
CONFIG_FILE = ROOT / "gear_app" / "app" / ".streamlit" / "config.toml"
CONFIG = tomllib.loads(CONFIG_FILE.read_text(encoding="utf-8"))


def luminance(colour: str) -> float:
    """WCAG 2.2's relative luminance."""
    channels = [int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5)]
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in channels]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(one: str, other: str) -> float:
    bright, dark = sorted((luminance(one), luminance(other)), reverse=True)
    return (bright + 0.05) / (dark + 0.05)


@pytest.mark.parametrize("colours", [LIGHT, DARK], ids=["light", "dark"])
@pytest.mark.parametrize("name", ["text", "muted_text", "yes_text", "no_text"])
def test_words_reach_aa_on_page_and_panel(colours: Palette, name: str) -> None:
    assert contrast(getattr(colours, name), colours.background) >= 4.5
    assert contrast(getattr(colours, name), colours.panel) >= 4.5


@pytest.mark.parametrize("colours", [LIGHT, DARK], ids=["light", "dark"])
@pytest.mark.parametrize("fill", ["kept", "query", "yes_text"])
def test_words_on_filled_marks_reach_aa(colours: Palette, fill: str) -> None:
    assert contrast(colours.background, getattr(colours, fill)) >= 4.5


@pytest.mark.parametrize(("section", "colours"), [("light", LIGHT), ("dark", DARK)])
def test_streamlits_theme_is_the_palette(section: str, colours: Palette) -> None:
    theme = CONFIG["theme"][section]
    same = {
        "primaryColor": colours.kept,
        "backgroundColor": colours.background,
        "textColor": colours.text,
        "secondaryBackgroundColor": colours.panel,
        "borderColor": colours.grid,
        "greenColor": colours.gold,
        "greenTextColor": colours.yes_text,
        "orangeColor": colours.gist,
        "redColor": colours.no_text,
        "violetColor": colours.passage,
        "blueColor": colours.kept,
        "grayColor": colours.pruned,
        "grayTextColor": colours.muted_text,
    }
    assert {name: theme[name] for name in same} == same


def test_the_file_at_the_top_makes_the_same_application() -> None:
    calls = [
        re.search(
            r"^app = App\(.*?^\)|^app = App\(.*\)$", path.read_text(), re.MULTILINE | re.DOTALL
        )
        for path in (ROOT / "app.py", ROOT / "gear_app" / "app" / "app.py")
    ]
    assert calls[0] and calls[1] and calls[0][0] == calls[1][0]


def test_nothing_about_use_is_sent_and_errors_show_no_traceback() -> None:
    assert CONFIG["browser"]["gatherUsageStats"] is False
    assert CONFIG["client"]["showErrorDetails"] == "type"
    assert CONFIG["runner"]["postScriptGC"] is False

"""Find a Chromium for the browser tests, or install one where that is allowed. Run as a script it
says what it did.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome")


def find() -> str | None:
    """The path of a browser: $CHROMIUM, then the usual names, then Playwright's own download."""
    for name in (os.environ.get("CHROMIUM", ""), *NAMES):
        if name and (path := shutil.which(name)):
            return path
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        path = playwright.chromium.executable_path
    return path if Path(path).exists() else None


def install() -> None:
    """By the system's packages where we may, else by Playwright's download."""
    if shutil.which("apt-get") and os.geteuid() == 0:
        subprocess.run(["apt-get", "update", "-qq"], check=False)
        packages = ["chromium", "fonts-dejavu-core", "fonts-liberation"]
        subprocess.run(
            ["apt-get", "install", "-y", "-qq", "--no-install-recommends", *packages], check=False
        )
    else:
        subprocess.run([sys.executable, "-m", "playwright", "install", "chromium"], check=False)


if __name__ == "__main__":
    if not find():
        sys.stdout.write("no Chromium found; installing one for the browser tests\n")
        sys.stdout.flush()
        install()
    sys.stdout.write(
        f"browser tests will use {path}\n"
        if (path := find())
        else (
            "no Chromium: the browser tests will be skipped. Install one, or set CHROMIUM to its"
            " path.\n"
        )
    )

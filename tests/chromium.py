"""Headless Chromium for browser tests: the machine's, else the system's package, else Playwright's own.

`python -m tests.chromium` makes sure that one is there and prints where.
"""

import os
import shutil
import subprocess
import sys
from pathlib import Path

from playwright.sync_api import sync_playwright

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")


def find() -> str | None:
    """The path of a Chromium that runs, or None. TB_TEST_CHROMIUM names one outright."""
    for name in (os.environ.get("TB_TEST_CHROMIUM", ""), *NAMES):
        path = shutil.which(name) if name else None
        # Some systems ship a stub under the name that only says how to install the browser.
        if path and _runs(path):
            return path
    with sync_playwright() as playwright:
        own = playwright.chromium.executable_path
    return own if Path(own).exists() else None


def install() -> None:
    """Install one from the system's packages when we may, else Playwright's own build."""
    if os.geteuid() == 0 and shutil.which("apt-get"):
        environment = os.environ | {"DEBIAN_FRONTEND": "noninteractive"}
        subprocess.run(["apt-get", "update", "-qq"], env=environment, check=False)
        subprocess.run(["apt-get", "install", "-y", "-qq", "chromium"], env=environment, check=False)
    if find() is None:
        subprocess.run([sys.executable, "-m", "playwright", "install", "chromium"], check=True)


def _runs(path: str) -> bool:
    answer = subprocess.run([path, "--version"], capture_output=True, text=True, check=False)
    return answer.returncode == 0 and "Chrom" in answer.stdout


def main() -> int:
    if find() is None:
        install()
    path = find()
    answer = path or "No Chromium could be found or installed; set TB_TEST_CHROMIUM to the path of one."
    sys.stdout.write(f"{answer}\n")
    return 0 if path else 1


if __name__ == "__main__":
    sys.exit(main())

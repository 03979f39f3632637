"""The README keeps its word: commands exist, the example prints what is shown, links lead somewhere."""

import re
import shlex
from pathlib import Path

import pytest
from click.testing import CliRunner

from tastebench_site import demo
from tastebench_site.cli import main

ROOT = Path(__file__).resolve().parents[1]
README = (ROOT / "README.md").read_text("utf-8")
COMMANDS = "".join(re.findall(r"```sh\n(.*?)```", README, re.DOTALL)).splitlines()


def test_make_knows_the_commands():
    targets = re.findall(r"^([a-z-]+):.*##", (ROOT / "Makefile").read_text("utf-8"), re.MULTILINE)
    asked = [line.split()[1] for line in COMMANDS if line.startswith("make ")]
    assert asked == ["run", "test"]
    assert set(asked) <= set(targets)


def test_the_example_prints_what_is_shown(tmp_path, monkeypatch):
    (tmp_path / "fixtures").symlink_to(ROOT / "fixtures")
    monkeypatch.chdir(tmp_path)
    printed = ""
    for line in COMMANDS:
        if line.startswith(".venv/bin/tb "):
            result = CliRunner().invoke(main, shlex.split(line)[1:], catch_exceptions=False)
            assert result.exit_code == 0, result.output
            printed += result.output
    assert f"```text\n{printed}```" in README


def test_the_demo_is_as_told():
    assert f"`{demo.PASSWORD}`" in README
    told = re.findall(r"^\| (`demo-.*?) \|", README, re.MULTILINE)
    assert len(told) == len({account.role for account in demo.ACCOUNTS})
    assert {name for row in told for name in names_of(row)} == {account.username for account in demo.ACCOUNTS}


def names_of(row: str) -> list[str]:
    """`demo-expert-1`, `-2` stands for demo-expert-1 and demo-expert-2."""
    first, *more = re.findall(r"`([^`]+)`", row)
    return [first, *(first[:-2] + ending for ending in more)]


@pytest.mark.parametrize("target", re.findall(r'(?:\]\(|src="|srcset=")(?!http)([^)"]+)', README))
def test_links_lead_somewhere(target):
    assert (ROOT / target).exists()

"""The pages that list settings and dependencies are in step with what they list."""

import re
import shlex
from pathlib import Path

import pytest
from django.core.management import get_commands, load_command_class

ROOT = Path(__file__).resolve().parents[2]
READERS = re.compile(r'\b(?:text|words|flag|integer|seconds|env\.\w+)\(\s*"([A-Z][A-Z0-9_]*)"')
ROW = re.compile(r"^\| `?([\w-]+)`? \| (.+) \| (.+) \|$", re.MULTILINE)


def rows(page: str, heading: str) -> dict[str, tuple[str, str]]:
    """The rows of the table under `heading`, by their first cell."""
    section = (ROOT / "docs" / page).read_text(encoding="utf-8").split(f"## {heading}")[1].split("\n## ")[0]
    return {name: (second, third) for name, second, third in ROW.findall(section) if set(name) != {"-"}}


def test_every_setting_is_documented_and_every_documented_one_exists():
    read = set(READERS.findall((ROOT / "tastebench_site" / "settings.py").read_text(encoding="utf-8")))
    documented = rows("deployment.md", "Settings")
    documented.pop("variable")
    assert read == set(documented)
    assert list(documented) == sorted(documented)


def test_every_command_is_documented_with_an_example_it_understands():
    ours = ("labeling", "gold", "evaluation", "tastebench_site")
    commands = {name for name, app in get_commands().items() if app in ours}
    documented = rows("deployment.md", "Commands")
    documented.pop("command")
    assert set(documented) == commands
    for name, (_purpose, example) in documented.items():
        command, *arguments = shlex.split(example.strip("`"))
        assert command == name
        load_command_class(get_commands()[name], name).create_parser("manage.py", name).parse_args(arguments)


def test_settings_are_read_in_one_place():
    """A variable read elsewhere would be missing from the page."""
    elsewhere = [
        path.name
        for package in ("tastebench_site", "labeling", "gold", "evaluation")
        for path in (ROOT / package).rglob("*.py")
        if re.search(r"os\.environ(\[|\.get)|os\.getenv", path.read_text(encoding="utf-8"))
        and path.name not in {"environment.py", "serve.py"}
    ]
    assert elsewhere == []


@pytest.mark.parametrize(
    ("file", "heading"),
    [
        ("base.in", "What the product runs on"),
        ("dev.in", "What checks and tests need"),
        ("bench.in", "What benchmarks measure beside ours"),
    ],
)
def test_every_dependency_has_its_reason_and_licence(file, heading):
    lines = (ROOT / "requirements" / file).read_text(encoding="utf-8").splitlines()
    asked = {re.split(r"[^\w-]", line)[0] for line in lines if line and not line.startswith(("#", "-r"))}
    listed = rows("dependencies.md", heading)
    listed.pop("package")
    assert set(listed) == asked
    assert all(reason.strip() and licence.strip() for reason, licence in listed.values())


@pytest.mark.parametrize("file", ["base", "dev", "bench"])
def test_locks_are_hashed_and_name_no_package_index(file):
    lock = (ROOT / "requirements" / f"{file}.txt").read_text(encoding="utf-8")
    pinned = re.findall(r"^[\w.-]+==[^\s;]+(?: ;[^\\\n]+)? \\\n    --hash=sha256:", lock, re.MULTILINE)
    assert len(pinned) == len(re.findall(r"^[\w.-]+(?:==|>|<|~| @)", lock, re.MULTILINE)) > 0
    assert not re.search(r"https?://|--(extra-)?index-url|--find-links", lock)

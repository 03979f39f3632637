"""`tb gold` as a person runs it: what it writes, says, and refuses."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from labeling.tables import BENCH_GOLD, BENCH_PAIRS, read_table
from labeling.tables.contract import GOLD_TIERS
from tastebench_site.cli import COMMANDS, main
from tests.shared_data import DATA, needs_data

ROOT = Path(__file__).resolve().parents[2]

PAIRS = """\
pair_id,domain,item_a,item_b,difficulty,split,data_origin
p1,book,x,y,easy,test,simulation
p2,book,y,z,easy,test,simulation
p3,tech,-v,w,easy,dev,simulation
"""
JUDGMENTS = """\
rater_id,pair_id,preferred_id
r1,p1,x
r2,p1,x
r3,p1,y
r1,p2,z
r1,p3,'-v
r2,p3,'-v
r3,p3,'-v
r4,p3,
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "pairs.csv").write_text(PAIRS)
    (tmp_path / "judgments.csv").write_text(JUDGMENTS)
    return tmp_path


def tb(*arguments: str | Path) -> Result:
    result = CliRunner().invoke(main, [str(argument) for argument in arguments])
    # A traceback never reaches a person: whatever stops a command is turned into a message.
    assert result.exception is None or isinstance(result.exception, SystemExit), result.exception
    return result


def tb_gold(folder: Path, *more: str | Path, out: str = "gold.csv", report: str = "report.json") -> Result:
    inputs = [folder / "pairs.csv", folder / "judgments.csv"]
    return tb("gold", *inputs, "--out", folder / out, "--report", folder / report, *more)


def test_gold_and_report(folder: Path) -> None:
    result = tb_gold(folder)
    assert result.exit_code == 0, result.output
    assert result.output.splitlines()[0] == (
        "1 of 2 test pairs is gold; 1 has too few raters. Over all splits 2 of 3 are gold."
    )
    assert (folder / "gold.csv").read_text() == (
        "pair_id,preferred_id,agreement,n_raters,rubric_id,data_origin,gold_tier,exclude_primary\n"
        "p1,x,0.666667,3,rubric_v1,simulation,simulation,false\n"
        "p3,'-v,1,3,rubric_v1,simulation,simulation,false\n"
    )
    report = json.loads((folder / "report.json").read_text())
    assert report["summary"] == result.output.splitlines()[0]
    assert report["judgments"] == {"votes": 7, "abstentions": 1, "raters": 3}
    assert report["simulation"] is True
    assert report["warnings"] == []
    assert sorted(path.name for path in folder.iterdir()) == [
        "gold.csv", "judgments.csv", "pairs.csv", "report.json",
    ]  # fmt: skip


def test_every_state_on_request(folder: Path) -> None:
    assert tb_gold(folder, "--aggregates", folder / "all.csv", "--rubric-id", "rubric_v2").exit_code == 0
    assert (folder / "all.csv").read_text().splitlines()[1:] == [
        "pair,p1,x,,0.666667,3,gold,false,rubric_v2,simulation",
        "pair,p2,z,,1,1,too_few,true,rubric_v2,simulation",
        "pair,p3,'-v,,1,3,gold,false,rubric_v2,simulation",
    ]


def test_parquet_is_raw_and_holds_the_same(folder: Path) -> None:
    assert tb_gold(folder).exit_code == 0
    assert tb_gold(folder, out="gold.parquet").exit_code == 0
    from_csv = read_table(folder / "gold.csv", BENCH_GOLD)
    from_parquet = read_table(folder / "gold.parquet", BENCH_GOLD)
    for column in BENCH_GOLD.names:
        assert from_parquet.text(column) == from_csv.text(column)
    assert from_parquet.text("preferred_id") == ["x", "-v"]


def test_twice_the_same_bytes(folder: Path) -> None:
    assert tb_gold(folder).exit_code == 0
    assert tb_gold(folder, out="again.csv", report="again.json").exit_code == 0
    assert (folder / "again.csv").read_bytes() == (folder / "gold.csv").read_bytes()
    assert (folder / "again.json").read_bytes() == (folder / "report.json").read_bytes()


def test_unknown_columns_are_named_in_a_warning(folder: Path) -> None:
    lines = JUDGMENTS.splitlines()
    (folder / "judgments.csv").write_text(
        "\n".join([lines[0] + ",mood", *(line + ",good" for line in lines[1:])])
    )
    result = tb_gold(folder)
    assert result.exit_code == 0
    assert "Warning: judgments.csv" in result.stderr
    assert "mood" in result.stderr
    assert "mood" in json.loads((folder / "report.json").read_text())["warnings"][0]


@pytest.mark.parametrize(
    ("file", "old", "new", "message"),
    [
        ("judgments.csv", "r1,p2,z", "r1,p9,z", "judgments.csv:5: pair_id:"),
        ("judgments.csv", "r1,p2,z", "r1,p2,x", "judgments.csv:5: preferred_id:"),
        ("judgments.csv", "r2,p1,x", "r1,p1,x", "judgments.csv:3:"),
        ("judgments.csv", "r2,p1,x", "r2,p1,x,1", "judgments.csv:3:"),
        ("pairs.csv", "p2,book,y,z", "p2,book,y,y", "pairs.csv:3: item_b:"),
        ("pairs.csv", "dev,simulation", "dev,public_crowd", "pairs.csv:4: data_origin: simulated and real"),
        ("pairs.csv", "simulation", "public_crowd", "Say with --tier what kind of gold this is"),
    ],
)
def test_a_refusal_says_where_and_writes_nothing(
    folder: Path, file: str, old: str, new: str, message: str
) -> None:
    path = folder / file
    path.write_text(path.read_text().replace(old, new))
    (folder / "gold.csv").write_text("from before\n")
    result = tb_gold(folder, "--aggregates", folder / "all.csv")
    assert result.exit_code == 2
    assert message in result.stderr
    assert "Traceback" not in result.output
    assert (folder / "gold.csv").read_text() == "from before\n"
    assert sorted(path.name for path in folder.iterdir()) == ["gold.csv", "judgments.csv", "pairs.csv"]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"out": "gold.xlsx"}, "ends in .csv or .parquet"),
        ({"out": "pairs.csv"}, "is an input of this command"),
        ({"out": "same.csv", "report": "same.csv"}, "is another output of this command"),
        ({"out": "missing/gold.csv"}, "does not exist; create the folder first"),
        ({"report": "."}, "is a folder"),
    ],
)
def test_outputs_that_cannot_be(folder: Path, options: dict[str, str], message: str) -> None:
    result = tb_gold(folder, **options)
    assert result.exit_code == 2
    assert message in " ".join(result.stderr.split())
    assert (folder / "pairs.csv").read_text() == PAIRS
    assert len(list(folder.iterdir())) == 2


def test_a_folder_that_cannot_be_written_is_named_without_a_traceback(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(self: Path, data: bytes) -> int:
        raise OSError(28, "No space left on device", str(self))

    # The report is written last: gold and aggregates must not stay behind either.
    monkeypatch.setattr(Path, "write_bytes", full)
    result = tb_gold(folder, "--aggregates", folder / "all.csv")
    assert result.exit_code == 2
    assert f"{folder / 'report.json'} cannot be written: No space left on device. Name a" in result.stderr
    assert len(list(folder.iterdir())) == 2


def test_a_table_that_cannot_be_written_is_named_as_it_was_asked_for(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    opened = Path.open

    def refused(self: Path, mode: str = "r", *more: Any, **options: Any) -> Any:
        if "x" in mode:
            raise PermissionError(13, "Permission denied", str(self))
        return opened(self, mode, *more, **options)

    monkeypatch.setattr(Path, "open", refused)
    result = tb_gold(folder)
    assert result.exit_code == 2
    assert f"Error: {folder / 'gold.csv'} cannot be written: Permission denied." in result.stderr
    assert ".part" not in result.stderr


def test_a_device_is_not_replaced_by_a_file(folder: Path) -> None:
    os.mkfifo(folder / "pipe")
    result = tb_gold(folder, report="pipe")
    assert result.exit_code == 2
    assert "is a device or pipe" in " ".join(result.stderr.split())
    assert (folder / "pipe").is_fifo()
    result = tb(
        "gold", folder / "pairs.csv", folder / "judgments.csv", "--out", folder / "g.csv", "--report", "-"
    )
    assert result.exit_code == 2
    assert "name a file" in " ".join(result.stderr.split())
    assert not (folder / "g.csv").exists()


def test_a_link_stays_a_link_to_the_new_file(folder: Path) -> None:
    (folder / "elsewhere").mkdir()
    (folder / "report.json").symlink_to(folder / "elsewhere" / "r.json")
    assert tb_gold(folder).exit_code == 0
    assert (folder / "report.json").is_symlink()
    assert json.loads((folder / "elsewhere" / "r.json").read_text())["report"] == "agreement"


def test_missing_input(folder: Path) -> None:
    (folder / "judgments.csv").unlink()
    result = tb_gold(folder)
    assert result.exit_code == 2
    assert "does not exist" in result.stderr


def test_help_names_every_tier_and_command() -> None:
    text = tb("gold", "--help").output
    assert all(tier in text for tier in GOLD_TIERS)
    overview = tb("--help").output
    assert all(name in overview for name in COMMANDS)
    for name in COMMANDS:
        assert tb(name, "--help").exit_code == 0
    assert tb("--version").output.startswith("tb, ")


def test_unknown_command() -> None:
    result = tb("golden")
    assert result.exit_code == 2
    assert "golden" in result.stderr


def test_help_imports_nothing_heavy() -> None:
    code = (
        "import sys\n"
        "from tastebench_site.cli import main\n"
        "main(['--help'], standalone_mode=False)\n"
        "print(sorted({'django', 'pandas', 'celery', 'numpy', 'pyarrow'} & set(sys.modules)))\n"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=ROOT)
    assert run.stdout.splitlines()[-1] == "[]"


def test_gold_needs_no_django(folder: Path) -> None:
    code = (
        "import sys\n"
        "from tastebench_site.cli import main\n"
        "main(sys.argv[1:], standalone_mode=False)\n"
        "print(sorted({'django', 'pandas', 'celery'} & set(sys.modules)))\n"
    )
    arguments = [
        folder / "pairs.csv",
        folder / "judgments.csv",
        "--out",
        folder / "g.csv",
        "--report",
        folder / "r.json",
    ]
    environment = {key: value for key, value in os.environ.items() if key != "DJANGO_SETTINGS_MODULE"}
    run = subprocess.run(
        [sys.executable, "-c", code, "gold", *map(str, arguments)],
        capture_output=True, text=True, check=True, env=environment, cwd=ROOT,
    )  # fmt: skip
    assert run.stdout.splitlines()[-1] == "[]"


@needs_data
@pytest.mark.parametrize(
    ("name", "tier", "gold", "unanimous", "in_a"),
    [
        ("lamp", "public_reference", 600, 428, 0.405),
        ("pandalm", "public_reference", 863, 794, 0.4647),
        ("calista", "crowd_reference", 110, 47, 0.5455),
    ],
)
def test_real_judgments(tmp_path: Path, name: str, tier: str, gold: int, unanimous: int, in_a: float) -> None:
    source, out, report = DATA / name, tmp_path / "gold.csv", tmp_path / "report.json"
    result = tb(
        "gold",
        source / "bench_pairs.csv",
        source / "judgments.csv",
        "--tier",
        tier,
        "--out",
        out,
        "--report",
        report,
    )
    assert result.exit_code == 0, result.output
    frame = read_table(out, BENCH_GOLD)
    assert len(frame) == gold
    assert set(frame.text("gold_tier")) == {tier}
    document = json.loads(report.read_text())
    assert document["overall"]["unanimous"]["k"] == unanimous
    assert document["overall"]["preferred_in_a"]["value"] == pytest.approx(in_a, abs=5e-5)
    # k votes of n come back from the column exactly.
    for agreement, n in zip(frame.text("agreement"), frame.text("n_raters"), strict=True):
        k = round(float(agreement) * int(n))
        assert abs(float(agreement) * int(n) - k) < 1e-3
        assert 5 * k >= 3 * int(n)
    # Gold tells which item of its pair won; read back, it says where winners are listed.
    pairs = read_table(source / "bench_pairs.csv", BENCH_PAIRS)
    first = dict(zip(pairs.text("pair_id"), pairs.text("item_a"), strict=True))
    wins = zip(frame.text("pair_id"), frame.text("preferred_id"), strict=True)
    assert sum(first[pair] == item for pair, item in wins) / gold == pytest.approx(in_a, abs=5e-5)

"""Real judgments from a folder to a verified release, by the commands an admin types."""

import io

import pytest
from django.core.management import call_command

from gold.models import Release
from labeling.tables import BENCH_GOLD, read_table
from tests.gold.worlds import make_rubric
from tests.shared_data import DATA, needs_data

pytestmark = [needs_data, pytest.mark.django_db, pytest.mark.usefixtures("private_files")]


def run(command, *args, **options):
    """Run a command and return what it printed."""
    out = io.StringIO()
    call_command(command, *args, stdout=out, **options)
    return out.getvalue()


# What is known of the data, from its reference notes: gold pairs, and unanimous ones among them.
@pytest.mark.parametrize(
    ("name", "domain", "tier", "n_pairs", "n_gold", "unanimous"),
    [
        ("lamp", "book", "public_reference", 600, 600, 428),
        ("pandalm", "tech", "public_reference", 999, 863, 794),
        ("calista", "visual", "crowd_reference", 122, 110, 47),
    ],
)
def test_from_tables_to_a_verified_release(name, domain, tier, n_pairs, n_gold, unanimous, tmp_path):
    make_rubric().domains.get_or_create(domain=domain)
    run("import_tables", str(DATA / name), name=name)
    run("create_round", name, rubric="rubric_v1", tier=tier, tables=name, closed=True)
    run("import_judgments", name, str(DATA / name / "judgments.csv"))
    assert f"{n_gold} of {n_pairs} pairs are gold" in run("promote", name, title=name)
    release = Release.objects.get()
    assert (release.gold_tier, release.n_pairs, release.n_gold) == (tier, n_pairs, n_gold)
    assert "all files and labels agree" in run("verify_release", 1)
    run("export_release", 1, tmp_path / "out")
    gold = read_table(tmp_path / "out/bench_gold.csv", BENCH_GOLD)
    assert gold.text("agreement").count("1") == unanimous
    assert set(gold.text("gold_tier")) == {tier}

"""The demo: accounts with published passwords, a round to rate at once, a release to score against.

Loaded by `make run` only, which listens on loopback. Everything in it is simulated.
"""

import json
from dataclasses import dataclass
from pathlib import Path

from django.conf import settings
from django.db import transaction

from gold.models import Release
from gold.promotion import build_and_publish, promote
from labeling import practice
from labeling.accounts import create_account
from labeling.importing.folder import read_folder
from labeling.importing.judgments import import_judgments
from labeling.importing.staging import import_folder, withdraw_abandoned
from labeling.models import GoldTier, Pair, Rater, Role, Round, Rubric, TableImport, User
from labeling.packets import open_round
from labeling.progress import Progress
from labeling.rounds import add_pairs, close_round, set_raters
from labeling.rubrics import load_rubric
from labeling.tables import JUDGMENTS, read_table

PASSWORD = "taste-demo-only"  # noqa: S105 - published on purpose; the demo listens on loopback
ACTOR = "load_demo"
WHY_BETTER = (
    "One idea carries the better one: two wheels on the road. Its lines are ranked, the facts stand in one "
    "place at the foot, and three colours do all the work. The other cuts off its own title, sets every line "
    "in another colour and at another angle, and spends as much room on advice as on the date."
)
STUB = Path(settings.BASE_DIR) / "fixtures" / "stub"


@dataclass(frozen=True)
class DemoAccount:
    username: str
    role: Role


ACCOUNTS = (
    DemoAccount("demo-admin", Role.ADMIN),
    DemoAccount("demo-expert-1", Role.EXPERT),
    DemoAccount("demo-expert-2", Role.EXPERT),
    DemoAccount("demo-expert-3", Role.EXPERT),
    DemoAccount("demo-reviewer", Role.REVIEWER),
    DemoAccount("demo-researcher", Role.RESEARCHER),
)


class NotDemoMode(Exception):
    """Demo accounts have published passwords; they are made in demo mode only."""


def load(progress: Progress) -> None:
    """Make what is missing of the demo; what is there stays as it is."""
    if not settings.DEMO:
        raise NotDemoMode("Set TB_DEMO=1 to load the demo; it makes accounts with published passwords.")
    for account in ACCOUNTS:
        if not User.objects.filter(username=account.username).exists():
            create_account(account.username, PASSWORD, roles=(account.role,))
    rubric = load_rubric(json.loads((STUB / "rubric_v1.json").read_text(encoding="utf-8")))
    tables = TableImport.objects.filter(name="stub", state=TableImport.State.PUBLISHED).first()
    if tables is None:
        withdraw_abandoned()
        tables = import_folder(read_folder(STUB), name="stub", progress=progress)
    if not Round.objects.filter(slug="demo").exists():
        _open_demo_round(rubric, tables)
    if not Release.objects.exists():
        _promote_stub(rubric, tables, progress)


@transaction.atomic
def _open_demo_round(rubric: Rubric, tables: TableImport) -> None:
    """A short round that the three demo experts can rate at once."""
    demo = Round.objects.create(
        slug="demo",
        name="Posters, logos, prose, interfaces",
        rubric=rubric,
        gold_tier=GoldTier.SIMULATION,
        raters_per_pair=3,
        seed=158,  # every packet begins with a poster
    )
    pairs = Pair.objects.filter(table_import=tables, split="dev").values_list("pk", flat=True)
    add_pairs(demo, pairs)
    set_raters(
        demo, Rater.objects.filter(user__username__in=[a.username for a in ACCOUNTS if a.role == Role.EXPERT])
    )
    posters = Pair.objects.get(table_import=tables, pair_id="pair_039")
    added = practice.add(demo, posters.pk)
    if added is not None:
        practice.explain(added, better="a", explanation=WHY_BETTER)
    open_round(demo, actor=ACTOR)


def _promote_stub(rubric: Rubric, tables: TableImport, progress: Progress) -> None:
    """The stub's simulated judgments, as a release that predictions can be scored against."""
    stub, made = Round.objects.get_or_create(
        slug="stub",
        defaults={
            "name": "Stub, simulated votes",
            "rubric": rubric,
            "gold_tier": GoldTier.SIMULATION,
            "seed": 1,
        },
    )
    if made:
        add_pairs(stub, Pair.objects.filter(table_import=tables).values_list("pk", flat=True))
        close_round(stub, actor=ACTOR, reason="judgments are simulated")
    stub.refresh_from_db()
    import_judgments(stub, read_table(STUB / "judgments.csv", JUDGMENTS), progress=progress)
    release = promote([stub], title="Stub (simulated)", actor=ACTOR, enqueue=False)
    build_and_publish(release, actor=ACTOR, progress=progress)

import io
import re

import pytest
from django.apps import apps
from django.core.management import call_command
from django.db.migrations.loader import MigrationLoader

OURS = ("labeling", "gold", "evaluation")


def test_no_migration_is_missing(db):
    said = io.StringIO()
    call_command("makemigrations", dry_run=True, stdout=said)
    assert said.getvalue() == "No changes detected\n"


@pytest.mark.parametrize("app", OURS)
def test_migrations_are_named_by_hand(app):
    assert apps.is_installed(app)
    names = [name for label, name in MigrationLoader(None).disk_migrations if label == app]
    assert names
    assert [name for name in names if re.search(r"_auto_|_alter_|_and_more$", name)] == []

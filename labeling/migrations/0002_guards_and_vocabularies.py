from django.db import migrations

from labeling import append_only
from labeling.tables.contract import DATA_ORIGINS, LICENSES


def forwards(apps, schema_editor):
    append_only.install(schema_editor.connection, append_only.LABELING_GUARDS)


def backwards(apps, schema_editor):
    append_only.remove(schema_editor.connection, append_only.LABELING_GUARDS)


def seed(apps, schema_editor):
    apps.get_model("labeling", "License").objects.bulk_create(
        apps.get_model("labeling", "License")(spdx=spdx) for spdx in sorted(LICENSES)
    )
    apps.get_model("labeling", "DataOrigin").objects.bulk_create(
        apps.get_model("labeling", "DataOrigin")(code=code, is_simulation=code == "simulation")
        for code in sorted(DATA_ORIGINS)
    )


class Migration(migrations.Migration):
    dependencies = [("labeling", "0001_initial")]
    operations = [
        migrations.RunPython(seed, migrations.RunPython.noop),
        migrations.RunPython(forwards, backwards),
    ]

from django.db import migrations

from labeling import append_only


def forwards(apps, schema_editor):
    append_only.install(schema_editor.connection, append_only.GOLD_GUARDS)


def backwards(apps, schema_editor):
    append_only.remove(schema_editor.connection, append_only.GOLD_GUARDS)


class Migration(migrations.Migration):
    dependencies = [("gold", "0001_initial"), ("labeling", "0002_guards_and_vocabularies")]
    operations = [migrations.RunPython(forwards, backwards)]

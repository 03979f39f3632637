from django.db import migrations, models

from labeling import append_only

FIRST_CONSENT_TEXT = """\
# Taking part, and your data

You are asked to compare works under a written rubric. Your answers become labels of a benchmark of taste:
models are scored against what people like you prefer.

## What is kept

* **Your account**: sign-in name, name and mail address if you give them, a password that nobody can read,
  your settings, and that you agreed to this text, and when. Only the administrators of this server see it.
* **Your answers**: what you chose, skipped or took back, your notes, how sure you were where it is asked,
  when you answered, how long it took, and how the two stood on your screen.
* **Wrong passwords** are counted for a quarter of an hour, against guessing.

There is no advertising and no tracking across sites.

## Who sees it

Your answers are kept under a pseudonym, such as `human_expert_01`. What leaves this server, a released table
for example, names the pseudonym only. Notes and how sure you were leave only when an administrator has read
them and released them.

## What you can do

* You can **stop** at any time, without giving a reason.
* You can **download** your data on your account page.
* You can ask an administrator to **erase** your account. Name, mail address, password, roles and this
  consent are deleted for ever. Your answers stay, under a pseudonym that then leads to nobody: released
  tables are frozen, so that others can check what was found.

By agreeing you say that you have read this, and that you take part of your own will.
"""

ACTS = [
    ("invited", "made an invitation"),
    ("withdrawn", "withdrew an invitation"),
    ("joined", "made the account from an invitation"),
    ("roles", "changed the roles"),
    ("deactivated", "deactivated"),
    ("activated", "activated again"),
    ("reset_link", "made a password-reset link"),
    ("password", "set a new password"),
    ("consent_published", "published a consent text"),
    ("consented", "agreed to the consent text"),
    ("data", "downloaded the account's data"),
    ("erased", "erased"),
]


def publish_first_text(apps, schema_editor):
    apps.get_model("labeling", "ConsentText").objects.create(version=1, text=FIRST_CONSENT_TEXT)


def guard(apps, schema_editor):
    append_only.install(schema_editor.connection, append_only.PEOPLE_GUARDS)


def lift(apps, schema_editor):
    append_only.remove(schema_editor.connection, append_only.PEOPLE_GUARDS)


class Migration(migrations.Migration):
    dependencies = [("labeling", "0003_collecting")]

    operations = [
        migrations.CreateModel(
            name="AccountAct",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("at", models.DateTimeField(auto_now_add=True)),
                ("actor", models.CharField(help_text="As labeling.actors writes it.", max_length=150)),
                (
                    "subject",
                    models.CharField(
                        blank=True, help_text="The account, as the actor is written.", max_length=150
                    ),
                ),
                ("act", models.CharField(choices=ACTS, max_length=20)),
                (
                    "detail",
                    models.CharField(
                        blank=True, help_text="Roles before and after, a version.", max_length=300
                    ),
                ),
            ],
            options={
                "ordering": ["-at", "-pk"],
                "constraints": [
                    models.CheckConstraint(
                        condition=models.Q(("act__in", [act for act, _label in ACTS])),
                        name="account_act_known",
                    )
                ],
            },
        ),
        migrations.RunPython(guard, lift),
        migrations.RunPython(publish_first_text, migrations.RunPython.noop),
    ]

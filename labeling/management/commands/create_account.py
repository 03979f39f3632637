import getpass
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from labeling.accounts import AccountRefused, check_account, create_account
from labeling.models import Role


class Command(BaseCommand):
    help = "Make an account with one or more roles; experts and reviewers get the next free pseudonym."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("username")
        parser.add_argument("--role", action="append", required=True, choices=Role.values, dest="roles")
        parser.add_argument("--email", default="")
        parser.add_argument(
            "--password", help="asked for when not given; a password here stays in the shell's history"
        )

    def handle(self, *args: Any, **options: Any) -> None:
        password = options["password"] or getpass.getpass("Password: ")
        try:
            checked = check_account(options["username"], password, email=options["email"])
            user = create_account(
                checked.username, password, roles=tuple(options["roles"]), email=checked.email
            )
        except AccountRefused as refused:
            raise CommandError(str(refused)) from None
        rater = getattr(user, "rater", None)
        self.stdout.write(
            self.style.SUCCESS(f"Made {user.username}" + (f", rater {rater}." if rater else "."))
        )

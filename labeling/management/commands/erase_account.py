from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.db import transaction

from labeling.account_log import log_act
from labeling.actors import actor_of
from labeling.models import Act, JudgmentEvent, User


class Command(BaseCommand):
    help = "Erase a person: name, mail address, password, roles. Answers stay, under the pseudonym."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("username")
        parser.add_argument("--yes", action="store_true", help="do not ask")

    def handle(self, *args: Any, **options: Any) -> None:
        username = options["username"]
        user = User.objects.filter(username=username).first()
        if user is None:
            raise CommandError(f"There is no account with the sign-in name {username}.")
        self.stdout.write(f"Erasing {username} removes name, mail address, password and roles for ever.")
        self.stdout.write(f"It stays: {self._what_stays(user)}")
        if not options["yes"] and self._asked() != username:
            raise CommandError("Nothing was erased: the sign-in name was not typed again.")
        with transaction.atomic():
            log_act("erase_account", Act.ERASED, subject=user)
            user.delete()
        self.stdout.write(self.style.SUCCESS("Erased."))

    def _what_stays(self, user: User) -> str:
        staying = [f"log entries, which say “{actor_of(user)}”", "uploads and prediction files, as nobody's"]
        rater = getattr(user, "rater", None)
        if rater is not None:
            n_events = JudgmentEvent.objects.filter(rater=rater).count()
            staying.insert(
                0, f"answers under the pseudonym {rater} ({n_events} event{'' if n_events == 1 else 's'})"
            )
        return "; ".join(staying) + "."

    def _asked(self) -> str:
        try:
            return input("Type the sign-in name again to erase it: ")
        except EOFError:
            return ""

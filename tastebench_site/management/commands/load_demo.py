import sys
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from labeling.progress import PrintProgress
from tastebench_site import demo


class Command(BaseCommand):
    help = "Make the demo's accounts, round and release where they are missing (demo mode only)."

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            with PrintProgress(sys.stderr) as progress:
                demo.load(progress)
        except demo.NotDemoMode as refused:
            raise CommandError(str(refused)) from None
        self.stdout.write(f"Demo sign-ins, password {demo.PASSWORD}")
        for account in demo.ACCOUNTS:
            self.stdout.write(f"  {account.username:16} {account.role.label}")

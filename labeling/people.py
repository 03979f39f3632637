"""What an admin does to accounts. What a rater judged stays as it is, whatever becomes of the account."""

from collections.abc import Iterable

from django.db import transaction
from django.utils.translation import gettext as _

from labeling.account_log import log_act
from labeling.accounts import ensure_rater
from labeling.models import Act, Role, RoleGrant, User


class NotAllowed(Exception):
    """The act would leave nobody, or not oneself, in charge; the message says what to do instead."""


@transaction.atomic
def change_roles(user: User, roles: Iterable[str], *, by: User) -> bool:
    """Give the account exactly `roles`; who judges gets a pseudonym and keeps it. False: no change."""
    wanted = set(roles)
    _lock_admins()
    had = set(RoleGrant.objects.filter(user=user).values_list("role", flat=True))
    if wanted == had:
        return False
    if Role.ADMIN in had - wanted:
        _check_stays_in_charge(user, by)
    RoleGrant.objects.filter(user=user).exclude(role__in=wanted).delete()
    RoleGrant.objects.bulk_create(RoleGrant(user=user, role=role) for role in sorted(wanted - had))
    ensure_rater(user, roles=wanted)
    log_act(by, Act.ROLES, subject=user, detail=f"{_listed(had)} → {_listed(wanted)}")
    return True


@transaction.atomic
def set_active(user: User, is_active: bool, *, by: User) -> bool:
    """Let the account sign in or not; its sessions end with its next request. False if nothing changed."""
    _lock_admins()
    had_role = RoleGrant.objects.filter(user=user, role=Role.ADMIN).exists()
    if not is_active and (user.pk == by.pk or had_role):
        _check_stays_in_charge(user, by)
    changed = User.objects.filter(pk=user.pk, is_active=not is_active).update(is_active=is_active)
    if changed:
        log_act(by, Act.ACTIVATED if is_active else Act.DEACTIVATED, subject=user)
    return bool(changed)


def _lock_admins() -> None:
    """One such act at a time: two admins who remove each other at once would leave none."""
    admins = User.objects.filter(pk__in=RoleGrant.objects.filter(role=Role.ADMIN).values("user"))
    list(admins.order_by("pk").select_for_update().values_list("pk"))


def _check_stays_in_charge(user: User, by: User) -> None:
    if user.pk == by.pk:
        raise NotAllowed(_("You cannot take this from yourself; ask another admin to do it."))
    others = RoleGrant.objects.filter(role=Role.ADMIN, user__is_active=True).exclude(user=user)
    if not others.exists():
        raise NotAllowed(_("This is the last admin; make another one first."))


def _listed(roles: Iterable[str]) -> str:
    return ", ".join(sorted(roles)) or "none"

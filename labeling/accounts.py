"""Making and erasing accounts, and the pseudonyms under which experts and reviewers judge."""

import re
from collections.abc import Collection

from django.contrib.auth.password_validation import validate_password
from django.core.exceptions import ValidationError
from django.db import IntegrityError, transaction

from labeling.models import Rater, Role, User

_STEMS = {Role.EXPERT: "human_expert", Role.REVIEWER: "human_reviewer"}
_TRIES = 5


class AccountRefused(Exception):
    """The account cannot be made; the message says what to change."""


def check_account(username: str, password: str, *, email: str = "", full_name: str = "") -> User:
    """The account as it would be stored, its name in the form in which it is looked up at sign-in.

    Raises AccountRefused for a name that is taken, empty or too long, for what is no mail address, and for a
    password that is weak or like the name.
    """
    user = User(username=username, email=email, full_name=full_name)
    try:
        user.full_clean(exclude=["password"])
        validate_password(password, user)
    except ValidationError as refused:
        raise AccountRefused(" ".join(refused.messages)) from None
    return user


@transaction.atomic
def create_account(
    username: str, password: str, *, roles: tuple[str, ...], email: str = "", full_name: str = ""
) -> User:
    """An account, with a rater beside it when a role judges. Raises AccountRefused when the name is taken."""
    try:
        with transaction.atomic():
            user = User.objects.create_user(username, password, roles=roles, email=email, full_name=full_name)
    except IntegrityError:
        raise AccountRefused(f"The sign-in name {username} is taken.") from None
    ensure_rater(user, roles=roles)
    return user


def ensure_rater(user: User, *, roles: Collection[str]) -> None:
    """A rater beside an account whose roles judge; one that is there keeps its pseudonym."""
    stem = next((_STEMS[role] for role in (Role.EXPERT, Role.REVIEWER) if role in roles), None)
    if stem is not None and not Rater.objects.filter(user=user).exists():
        _make_rater(user, stem)


def _make_rater(user: User, stem: str) -> None:
    """A rater of the next number; accounts made at the same moment ask for the same one."""
    for _ in range(_TRIES):
        try:
            with transaction.atomic():
                Rater.objects.create(pseudonym=next_pseudonym(stem), user=user)
            return
        except IntegrityError:
            continue
    raise AccountRefused("Other accounts are taking each next pseudonym just now; try again.")


def next_pseudonym(stem: str) -> str:
    """The first free number after the highest in use: human_expert_01, human_expert_02, …"""
    used = Rater.objects.filter(pseudonym__startswith=f"{stem}_").values_list("pseudonym", flat=True)
    numbers = [int(found[1]) for name in used if (found := re.fullmatch(rf"{stem}_(\d{{1,9}})", name))]
    return f"{stem}_{max(numbers, default=0) + 1:02d}"

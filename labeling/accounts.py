"""Making accounts, and the pseudonyms under which experts and reviewers judge."""

import re

from django.db import transaction

from labeling.models import Rater, Role, User

_STEMS = {Role.EXPERT: "human_expert", Role.REVIEWER: "human_reviewer"}


@transaction.atomic
def create_account(username: str, password: str, *, roles: tuple[str, ...], email: str = "") -> User:
    """An account, with a rater beside it when a role judges. IntegrityError when the name is taken."""
    user = User.objects.create_user(username, password, roles=roles, email=email)
    stem = next((_STEMS[role] for role in (Role.EXPERT, Role.REVIEWER) if role in roles), None)
    if stem is not None:
        Rater.objects.create(pseudonym=next_pseudonym(stem), user=user)
    return user


def next_pseudonym(stem: str) -> str:
    """The first free number after the highest in use: human_expert_01, human_expert_02, …"""
    used = Rater.objects.filter(pseudonym__startswith=f"{stem}_").values_list("pseudonym", flat=True)
    numbers = [int(found[1]) for name in used if (found := re.fullmatch(rf"{stem}_(\d{{1,9}})", name))]
    return f"{stem}_{max(numbers, default=0) + 1:02d}"

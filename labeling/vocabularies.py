"""The two lists of words that an admin can extend. Words are added and stay: stored rows use them."""

import re

from labeling.models import DataOrigin, License


class WordRefused(Exception):
    """The word cannot be added; the message says why."""


def add_license(spdx: str) -> bool:
    """Let tables use a licence. Returns whether it is new."""
    if not re.fullmatch(r"[A-Za-z0-9][A-Za-z0-9.+-]{0,99}", spdx):
        raise WordRefused(
            f"“{spdx}” is no SPDX identifier: letters, digits, dots, hyphens, as in LicenseRef-Ours."
        )
    return License.objects.get_or_create(spdx=spdx)[1]


def add_data_origin(code: str, *, is_simulation: bool) -> bool:
    """Let tables use an origin of rows. Returns whether it is new."""
    if not re.fullmatch(r"[a-z][a-z0-9_]{0,99}", code):
        raise WordRefused(f"“{code}” is no code: small letters, digits, underscores, as in public_crowd.")
    origin, new = DataOrigin.objects.get_or_create(code=code, defaults={"is_simulation": is_simulation})
    if origin.is_simulation != is_simulation:
        kind = "simulated" if origin.is_simulation else "real"
        raise WordRefused(f"{code} is known as {kind}, and rows may rest on that; choose another code.")
    return new

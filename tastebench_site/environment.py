"""Read settings from the environment; fail loudly, say how to mend it."""

import secrets
from pathlib import Path

from django.core.exceptions import ImproperlyConfigured


def secret_key(given: str, folder: Path) -> str:
    """The configured key, or one made on first run and kept in `folder`, readable by its owner only."""
    if given:
        if len(given) < 32:
            raise ImproperlyConfigured(
                "SECRET_KEY has fewer than 32 characters; make one with `openssl rand -hex 32`."
            )
        return given
    path = folder / "secret_key"
    folder.mkdir(parents=True, exist_ok=True)
    try:
        descriptor = path.open("x", encoding="ascii")
    except FileExistsError:
        return _kept_key(path)
    with descriptor:
        path.chmod(0o600)
        key = secrets.token_hex(32)
        descriptor.write(key)
    return key


def _kept_key(path: Path) -> str:
    key = path.read_text(encoding="ascii").strip()
    if len(key) < 32:
        raise ImproperlyConfigured(
            f"{path} is damaged (fewer than 32 characters); delete it to make a new key."
        )
    return key

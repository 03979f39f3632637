"""Read settings from the environment; fail loudly, say how to mend it."""

import os
import secrets
import tempfile
from pathlib import Path

from django.core.exceptions import ImproperlyConfigured

TRUE = frozenset({"1", "true", "yes", "on"})
FALSE = frozenset({"", "0", "false", "no", "off"})


def text(name: str, default: str = "") -> str:
    """The variable, without blanks around it."""
    return os.environ.get(name, default).strip()


def words(name: str, default: str = "") -> list[str]:
    """The variable's values between commas."""
    return [word for part in text(name, default).split(",") if (word := part.strip())]


def flag(name: str, default: bool) -> bool:
    value = os.environ.get(name)
    if value is None:
        return default
    known = value.strip().lower()
    if known not in TRUE | FALSE:
        raise ImproperlyConfigured(f"{name} is {value!r}; write 1 for yes or 0 for no.")
    return known in TRUE


def integer(name: str, default: int, *, minimum: int) -> int:
    value = text(name, str(default))
    try:
        number = int(value)
    except ValueError:
        number = minimum - 1
    if number < minimum:
        raise ImproperlyConfigured(f"{name} is {value!r}; write a whole number of at least {minimum}.")
    return number


def seconds(name: str, default: float) -> float:
    """A duration greater than zero, in seconds."""
    value = text(name, str(default))
    try:
        number = float(value)
    except ValueError:
        number = 0.0
    if not 0 < number < 86_400:
        raise ImproperlyConfigured(f"{name} is {value!r}; write seconds between 0 and 86400.")
    return number


def secret_key(given: str, folder: Path) -> str:
    """The configured key, or one made on first run and kept in `folder`, readable by its owner only."""
    if given:
        if len(given) < 32:
            raise ImproperlyConfigured(
                "SECRET_KEY has fewer than 32 characters; make one with `openssl rand -hex 32`."
            )
        return given
    path = folder / "secret_key"
    if not path.exists():
        _make_key(path)
    return _kept_key(path)


def _make_key(path: Path) -> None:
    """Web server and worker start together: the key appears complete, and the first one made stays."""
    path.parent.mkdir(parents=True, exist_ok=True)
    descriptor, name = tempfile.mkstemp(dir=path.parent, prefix="secret_key.")
    part = Path(name)
    with os.fdopen(descriptor, "w", encoding="ascii") as file:
        file.write(secrets.token_hex(32))
    try:
        path.hardlink_to(part)
    except FileExistsError:
        pass
    finally:
        part.unlink()


def _kept_key(path: Path) -> str:
    key = path.read_text(encoding="ascii").strip()
    if len(key) < 32:
        raise ImproperlyConfigured(
            f"{path} is damaged (fewer than 32 characters); delete it to make a new key."
        )
    return key

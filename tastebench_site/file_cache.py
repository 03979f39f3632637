"""A folder as cache, for several processes that count in it."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from django.core.cache.backends.filebased import FileBasedCache
from django.core.files import locks


class CountingFileCache(FileBasedCache):
    """Adds and counts one at a time: in Django's own, counts that meet are lost, and so wrong passwords."""

    _dir: str  # Django's; its stubs do not have it

    def add(self, *args: Any, **kwargs: Any) -> bool:
        with self._alone():
            return super().add(*args, **kwargs)

    def incr(self, *args: Any, **kwargs: Any) -> int:
        with self._alone():
            return super().incr(*args, **kwargs)

    @contextmanager
    def _alone(self) -> Iterator[None]:
        folder = Path(self._dir)
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        with (folder / "lock").open("a") as held:
            locks.lock(held, locks.LOCK_EX)
            try:
                yield
            finally:
                locks.unlock(held)

"""kombu's filesystem transport, made safe for a reader that comes while a message is being written.

As it ships, a worker that opens a half-written or empty message file dies of it. Here a message appears
under its name when it is complete, and one that cannot be read (a disk that was full) is dropped: the
sweeper sends its job again.
"""

import json
import logging
import uuid
from pathlib import Path
from queue import Empty
from time import time_ns
from typing import Any

from kombu.transport import filesystem
from kombu.utils.json import dumps

logger = logging.getLogger(__name__)


class Channel(filesystem.Channel):
    # kombu's own two signatures of these differ (virtual transport, filesystem transport).
    def _put(self, queue: str, payload: dict[str, Any], **_: Any) -> None:  # type: ignore[override]
        folder = Path(self.data_folder_out)
        # Names sort by time, so that older messages are read first.
        name = f"{time_ns()}_{uuid.uuid4()}"
        part = folder / f"{name}.part"
        part.write_text(dumps(payload), encoding="utf-8")
        part.replace(folder / f"{name}.{queue}.msg")

    def _get(self, queue: str) -> Any:  # type: ignore[override]
        try:
            return super()._get(queue)
        except json.JSONDecodeError:
            logger.warning("dropped an unreadable message of the queue %s", queue)
            raise Empty from None


class Transport(filesystem.Transport):
    Channel = Channel

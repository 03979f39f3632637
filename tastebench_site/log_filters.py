"""What must not stand in a log."""

import logging
import re

_LINKS = re.compile(r"(/(?:invitations|password/new)/)[^\s?\"']+")


class HideLinks(logging.Filter):
    """Cuts the secret off links that let in whoever has them."""

    def filter(self, record: logging.LogRecord) -> bool:
        said = record.getMessage()
        hidden = _LINKS.sub(r"\1…", said)
        if hidden != said:
            record.msg, record.args = hidden, ()
        return True

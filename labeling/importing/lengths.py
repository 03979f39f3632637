"""Cells that the database's columns can hold: SQLite would store longer ones, PostgreSQL break off."""

from collections.abc import Mapping
from typing import Any

import numpy as np
import pyarrow.compute as pc
from django.db.models import Field, Model
from django.utils.translation import gettext as _

from labeling.tables import Frame
from labeling.tables.errors import ErrorLog


def fields_of(model: type[Model]) -> dict[str, "Field[Any, Any]"]:
    """The fields of a model whose tables name columns as the model names fields."""
    return {field.name: field for field in model._meta.concrete_fields}


def check_lengths(frame: Frame, fields: Mapping[str, "Field[Any, Any]"], log: ErrorLog) -> None:
    """Log every cell of `frame` that is longer than the field its column is stored in."""
    for column in frame.columns:
        longest = getattr(fields.get(column), "max_length", None)
        if longest is None:
            continue
        lengths = pc.utf8_length(frame.column(column)).to_numpy()
        for row in np.flatnonzero(lengths > longest).tolist():
            what = _("it has %(n)d characters; at most %(max)d are stored")
            log.add(frame.error(row, column, what % {"n": lengths[row], "max": longest}, _("Shorten it")))

"""Which SQLite engine Django gets.

SQLite 3.7.0-3.51.2 can corrupt a WAL database when a write races a checkpoint's reset; 3.51.3 mends it.
The wheel `pysqlite3` carries a newer engine than most Pythons do, so it stands in where the
standard library's engine is too old. Where neither is new enough, the rollback journal is used.
"""

import sqlite3
import sys
import warnings

WAL_SAFE = (3, 51, 3)


def install() -> str:
    """Put the safest engine at `sqlite3` and return the journal mode to use with it.

    Must run before Django's SQLite backend is imported.
    """
    if sqlite3.sqlite_version_info >= WAL_SAFE:
        return "WAL"
    try:
        import pysqlite3
        from pysqlite3 import dbapi2
    except ImportError:
        dbapi2 = None
    if dbapi2 is not None and dbapi2.sqlite_version_info >= WAL_SAFE:
        sys.modules["sqlite3"] = pysqlite3
        sys.modules["sqlite3.dbapi2"] = dbapi2
        return "WAL"
    warnings.warn(
        f"SQLite {sqlite3.sqlite_version} cannot use WAL safely; falling back to the rollback journal "
        "(slower with several raters). Install the package pysqlite3 or use PostgreSQL.",
        RuntimeWarning,
        stacklevel=2,
    )
    return "DELETE"

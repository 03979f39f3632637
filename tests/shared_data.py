"""Where the real data for tests lies: beside the checkout, never inside it."""

from pathlib import Path

import pytest

DATA = Path(__file__).resolve().parents[2] / "shared" / "data"
REFERENCE = DATA.parent / "reference"

needs_data = pytest.mark.skipif(
    not DATA.is_dir(), reason="real data folder ../shared/data is not beside this checkout"
)

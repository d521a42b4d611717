"""The public surface is a contract: names and signatures change only on purpose."""

from __future__ import annotations

import sys
from pathlib import Path

REFERENCE = Path(__file__).parent / "reference"


def test_every_public_name_and_signature_is_as_written_down():
    sys.path.insert(0, str(REFERENCE))
    try:
        from make_surface import surface
    finally:
        sys.path.remove(str(REFERENCE))
    # Methods that scikit-learn itself gives differ between its versions.
    want = (REFERENCE / "surface.txt").read_text().splitlines()
    found = list(surface())
    gone = [line for line in want if line not in found and "metadata_r" not in line]
    new = [line for line in found if line not in want and "metadata_r" not in line]
    assert not gone, f"gone or changed: {gone}; new: {new}"
    assert not new, f"new, to be written down by reference/make_surface.py: {new}"

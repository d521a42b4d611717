"""The walk through a table is shared with the benchmarks."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2]))

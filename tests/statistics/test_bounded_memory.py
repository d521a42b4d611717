"""Files several times as large as the memory allowed are summarized within it."""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import stream_runs

LIMIT = 600.0  # megabytes, all of the process counted
FEATURES = 64
STRESS = bool(os.environ.get("SUFFICE_STRESS"))

pytestmark = pytest.mark.skipif(
    not Path("/proc/self/status").exists(), reason="the system does not tell the peak"
)


def repeated(rows=1 << 18):
    """A table to be written again and again."""
    rng = np.random.default_rng(0)
    y = rng.integers(5, size=rows)
    columns = {f"x{j}": rng.integers(9, size=rows) + y * 0.5 for j in range(FEATURES)}
    return pa.table({**columns, "label": y.astype("U1")})


@pytest.mark.exhaustive
def test_a_parquet_file_of_four_times_the_memory_allowed(tmp_path):
    """Its numbers take 2.4 GB; few bits each, so that little is written here."""
    table, path = repeated(), tmp_path / "rows.parquet"
    times = int(4 * LIMIT * 2**20 / (8 * FEATURES * len(table))) + 1
    with pq.ParquetWriter(path, table.schema, compression="zstd") as writer:
        for _ in range(times):
            writer.write_table(table)
    used = stream_runs.peak(path, target="label", detail="shared" if STRESS else "diagonal")
    assert used["rows"] == times * len(table)
    assert used["megabytes"] < LIMIT


@pytest.mark.skipif(not STRESS, reason="writes gigabytes; SUFFICE_STRESS=1 runs it")
@pytest.mark.parametrize("ending", ["parquet", "arrow", "csv"])
def test_a_file_on_disk_of_four_times_the_memory_allowed(tmp_path, ending):
    table, path = repeated(1 << 20), tmp_path / f"rows.{ending}"
    with open(path, "wb") as file:
        if ending == "csv":
            import pyarrow.csv

            writer = pyarrow.csv.CSVWriter(file, table.schema)
        elif ending == "parquet":  # row groups of half a gigabyte
            plain = {"compression": "none", "use_dictionary": False}
            writer = pq.ParquetWriter(file, table.schema, **plain)
        else:
            writer = pa.ipc.new_file(file, table.schema)
        while file.tell() < 4 * LIMIT * 2**20:
            writer.write_table(table)
        writer.close()
    used = stream_runs.peak(path, target="label", detail="shared")
    assert used["megabytes"] < LIMIT

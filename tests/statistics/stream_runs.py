"""Runs of a pass over files in processes of their own, to be killed or measured."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from pathlib import Path

import suffice as sf
from suffice.data.sources import chunk, stream
from suffice.statistics.passes import checkpoint


def run(source, saved, answer, delay, target, detail):
    """Stream files in small chunks, by the loops for many rows, with a checkpoint after each, and
    write the digest.

    A file beside the answer tells that the first chunk was counted.
    """
    chunk.chunk_rows.__defaults__ = (64, 1, 1 << 20)
    stream.FileStream.long_bytes = 0
    checkpoint.Checkpoint.interval = checkpoint.Checkpoint.sparseness = 0.0

    def listen(progress):
        Path(f"{answer}.begun").touch()
        time.sleep(delay)

    s = sf.summarize(source, target=target, detail=detail, checkpoint=saved, progress=listen)
    Path(answer).write_text(s.digest())


def begun(answer, seconds=30.0):
    """Wait until a run has counted its first chunk, or has ended."""
    mark, end = Path(f"{answer}.begun"), time.monotonic() + seconds
    while not mark.exists() and not Path(answer).exists() and time.monotonic() < end:
        time.sleep(0.001)
    mark.unlink(missing_ok=True)


class Nursery:
    """A process that has imported all there is to import, and forks a run at a time.

    So a run that is killed soon is killed while it works, not while it starts.
    """

    def __init__(self):
        command = [sys.executable, "-c", "import stream_runs; stream_runs.serve()"]
        paths = os.pathsep.join([str(Path(__file__).parent), *sys.path])
        self.process = subprocess.Popen(
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            env={**os.environ, "PYTHONPATH": paths},
        )

    def start(self, *arguments):
        """The process id of a run that has begun."""
        self.process.stdin.write(json.dumps(arguments) + "\n")
        self.process.stdin.flush()
        return int(self.process.stdout.readline())

    def ended(self):
        """How the run ended: 0, or less the number of a signal."""
        return int(self.process.stdout.readline())

    def close(self):
        """End the process."""
        self.process.stdin.close()
        self.process.stdout.close()
        self.process.wait()


def serve():
    """What the nursery does."""
    import polars  # noqa: F401
    import pyarrow.parquet  # noqa: F401

    for line in sys.stdin:
        pid = os.fork()
        if pid == 0:
            code = 1
            try:
                run(*json.loads(line))
                code = 0
            finally:
                os._exit(code)
        print(pid, flush=True)
        print(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]), flush=True)


PEAK = """
import json, sys
from pathlib import Path
import suffice as sf

source, options = sys.argv[1], json.loads(sys.argv[2])
s = sf.summarize(source, **options)
lines = Path("/proc/self/status").read_text().splitlines()
peak = next(int(line.split()[1]) for line in lines if line.startswith("VmHWM:"))
print(json.dumps({"megabytes": peak / 1024, "rows": int(s.count.sum())}))
"""


def peak(source, **options):
    """Peak memory of a process that streams files, and the rows that it counted."""
    command = [sys.executable, "-c", PEAK, str(source), json.dumps(options)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)

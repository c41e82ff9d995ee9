"""`make bench`: every benchmark in turn, each printing a table, beside a peer where it has one.

python -m tests.bench            all of them
python -m tests.bench path codec only these
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).parent


def names() -> list[str]:
    """The benchmarks there are."""
    return sorted(each.stem.removeprefix("bench_") for each in HERE.glob("bench_*.py"))


def main(wanted: list[str]) -> int:
    """Run each in a process of its own, so that none burdens the next. Returns how many failed."""
    unknown = sorted(set(wanted) - set(names()))
    if unknown:
        print(f"There is no benchmark called {', '.join(unknown)}; there are: {', '.join(names())}")
        return 2
    failed = 0
    for name in wanted or names():
        print(f"\n== {name} ==", flush=True)
        done = subprocess.run([sys.executable, "-m", f"tests.bench.bench_{name}"], check=False)
        failed += done.returncode != 0
    return failed


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))

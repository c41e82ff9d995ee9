"""Makes protocol/data from an unpacked npm package minecraft-data.

    npm pack minecraft-data@3.116.0 && tar xf minecraft-data-3.116.0.tgz
    python scripts/vendor_data.py package

The version is pinned because later ones give 1.21.1 a recipe serializer that the game does not have. The same
package gives the same bytes.
"""

from __future__ import annotations

import json
import sys
import zlib
from pathlib import Path
from typing import Any

PACKAGE_VERSION = "3.116.0"
GAME_VERSION = "1.21.1"
TARGET = Path(__file__).resolve().parent.parent / "protocol" / "data"

NOTICE = f"""\
The *.json.z files in this folder are derived from minecraft-data {PACKAGE_VERSION} (pc/{GAME_VERSION}),
https://github.com/PrismarineJS/minecraft-data, by scripts/vendor_data.py.

The MIT License (MIT)

Copyright (c) 2013-2026 PrismarineJS and contributors

Permission is hereby granted, free of charge, to any person obtaining a copy of this software and associated
documentation files (the "Software"), to deal in the Software without restriction, including without limitation
the rights to use, copy, modify, merge, publish, distribute, sublicense, and/or sell copies of the Software, and
to permit persons to whom the Software is furnished to do so, subject to the following conditions:

The above copyright notice and this permission notice shall be included in all copies or substantial portions of
the Software.

THE SOFTWARE IS PROVIDED "AS IS", WITHOUT WARRANTY OF ANY KIND, EXPRESS OR IMPLIED, INCLUDING BUT NOT LIMITED TO
THE WARRANTIES OF MERCHANTABILITY, FITNESS FOR A PARTICULAR PURPOSE AND NONINFRINGEMENT. IN NO EVENT SHALL THE
AUTHORS OR COPYRIGHT HOLDERS BE LIABLE FOR ANY CLAIM, DAMAGES OR OTHER LIABILITY, WHETHER IN AN ACTION OF
CONTRACT, TORT OR OTHERWISE, ARISING FROM, OUT OF OR IN CONNECTION WITH THE SOFTWARE OR THE USE OR OTHER DEALINGS
IN THE SOFTWARE.
"""


class Source:
    """The package's data folder; each table of a version may live in an older version's folder."""

    def __init__(self, package: Path) -> None:
        version = json.loads((package / "package.json").read_text())["version"]
        if version != PACKAGE_VERSION:
            sys.exit(f"{package} is minecraft-data {version}; {PACKAGE_VERSION} is wanted")
        self._data = package / "minecraft-data" / "data"
        self._folders = json.loads((self._data / "dataPaths.json").read_text())["pc"][GAME_VERSION]

    def read(self, table: str) -> Any:
        """One table, parsed."""
        return json.loads((self._data / self._folders[table] / f"{table}.json").read_text("utf-8"))


def write(table: str, content: Any) -> int:
    """Write one table and return its size on disk."""
    text = json.dumps(content, ensure_ascii=False, separators=(",", ":"))
    data = zlib.compress(text.encode(), 9)
    (TARGET / f"{table}.json.z").write_bytes(data)
    return len(data)


def main() -> None:
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    source = Source(Path(sys.argv[1]))
    tables = {"protocol": source.read("protocol")}
    (TARGET / "NOTICE").write_text(NOTICE)
    for table, content in tables.items():
        print(f"{table:12} {write(table, content):8} bytes")


if __name__ == "__main__":
    main()

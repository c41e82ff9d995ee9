"""What the jars in a server's mods folder say about themselves.

Jars are files that others made: each is read within limits of size, and one that is damaged or lies about
itself is passed over.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    import zipfile

#: Where mods say who they are, by loader (NeoForge 1.20.5 and later; before, and Forge; Fabric).
DESCRIPTIONS: Final = ("META-INF/neoforge.mods.toml", "META-INF/mods.toml", "fabric.mod.json")
MAX_DESCRIPTION_BYTES: Final = 256 * 1024
MAX_MANIFEST_BYTES: Final = 64 * 1024
MAX_JAR_BYTES: Final = 512 * 1024 * 1024
MAX_JARS: Final = 1000
#: A jar may list this many entries; its table of contents is read whole.
MAX_ENTRIES: Final = 200_000
MAX_FIELD: Final = 200


@dataclass(frozen=True, slots=True)
class JarMod:
    """One mod as its jar describes it; `links` are the pages that it names."""

    id: str
    name: str
    version: str
    jar: str
    links: tuple[str, ...] = ()


class ModsFolder:
    """The mods folder of a server on this machine, read again only when it has changed."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._seen: tuple[tuple[str, int, int], ...] | None = None
        self._mods: tuple[JarMod, ...] = ()

    async def read(self) -> tuple[JarMod, ...]:
        """Every mod by id; none where there is no such folder. Read on a worker thread."""
        return await asyncio.to_thread(self._read)

    def _read(self) -> tuple[JarMod, ...]:
        jars = sorted(_jars(self.folder), key=lambda each: each[0].name)[:MAX_JARS]
        seen = tuple((path.name, size, changed) for path, size, changed in jars)
        if seen != self._seen:
            found: dict[str, JarMod] = {}
            for path, _, _ in jars:
                for mod in mods_in(path):
                    found.setdefault(mod.id, mod)
            self._mods = tuple(sorted(found.values(), key=lambda mod: mod.id))
            self._seen = seen
        return self._mods


def mods_in(jar: Path) -> list[JarMod]:
    """The mods in one jar; empty for a file that is no jar, or a jar that names none."""
    # Loaded here, on the worker thread: few companions stand beside their server's files.
    import zipfile
    import zlib

    try:
        with zipfile.ZipFile(jar) as archive:
            names = set(archive.namelist())
            if len(names) > MAX_ENTRIES:
                return []
            for description in DESCRIPTIONS:
                if description not in names:
                    continue
                text = _entry(archive, description, MAX_DESCRIPTION_BYTES)
                version = _manifest_version(archive) if "META-INF/MANIFEST.MF" in names else ""
                return list(_described(description, text, version, jar.name))
    except (
        OSError,
        ValueError,
        RuntimeError,
        NotImplementedError,
        EOFError,
        zipfile.BadZipFile,
        zlib.error,
        RecursionError,
    ):
        return []
    return []


def _jars(folder: Path) -> Iterator[tuple[Path, int, int]]:
    try:
        for path in folder.iterdir():
            if path.suffix.lower() == ".jar" and path.is_file():
                stat = path.stat()
                if stat.st_size <= MAX_JAR_BYTES:
                    yield path, stat.st_size, stat.st_mtime_ns
    except OSError:
        return


def _entry(archive: zipfile.ZipFile, name: str, limit: int) -> str:
    """The text of an entry. Raises ValueError for one larger than `limit` bytes, whatever it claims to be."""
    with archive.open(name) as entry:
        data = entry.read(limit + 1)
    if len(data) > limit:
        raise ValueError(f"{name} is larger than {limit} bytes")
    return data.decode("utf-8-sig", "replace")


def _manifest_version(archive: zipfile.ZipFile) -> str:
    for line in _entry(archive, "META-INF/MANIFEST.MF", MAX_MANIFEST_BYTES).splitlines():
        key, _, value = line.partition(":")
        if key.strip() == "Implementation-Version":
            return value.strip()
    return ""


def _described(file: str, text: str, jar_version: str, jar: str) -> Iterator[JarMod]:
    if file.endswith(".json"):
        one = json.loads(text)
        contact = one.get("contact") if isinstance(one, Mapping) else None
        links = (
            [value for value in contact.values() if isinstance(value, str)]
            if isinstance(contact, Mapping)
            else []
        )
        found = _mod(one, "id", "name", links, jar_version, jar)
        if found is not None:
            yield found
        return
    import tomllib

    whole = tomllib.loads(text)
    shared = [whole.get("issueTrackerURL")]
    entries = whole.get("mods")
    for each in entries if isinstance(entries, list) else []:
        if isinstance(each, Mapping):
            urls: list[Any] = [*shared, each.get("displayURL"), each.get("modUrl"), each.get("updateJSONURL")]
            found = _mod(each, "modId", "displayName", urls, jar_version, jar)
            if found is not None:
                yield found


def _mod(
    entry: Any, id_key: str, name_key: str, links: list[Any], jar_version: str, jar: str
) -> JarMod | None:
    if not isinstance(entry, Mapping) or not _field(entry.get(id_key)):
        return None
    version = _field(entry.get("version"))
    # The build puts the jar's own version there; in the file it is still a placeholder.
    if version.startswith("${"):
        version = jar_version[:MAX_FIELD]
    kept = tuple(_field(each) for each in links if _field(each))
    return JarMod(_field(entry.get(id_key)), _field(entry.get(name_key)), version, jar, kept)


def _field(value: Any) -> str:
    return " ".join(value.split())[:MAX_FIELD] if isinstance(value, str) else ""

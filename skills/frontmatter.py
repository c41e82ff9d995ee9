"""The head of a skill file: single-line `key: value` pairs between two lines of `---`.

Nothing nests and nothing is a list, so no YAML is needed. A line is split at its first colon and trimmed, one
pair of quotes is taken off, a line without a colon is passed over, a key given twice keeps its last value. A
head that is never closed is no head.
"""

from __future__ import annotations


def split(text: str) -> tuple[dict[str, str], str]:
    """(fields, body) of a skill file. Line ends of any kind are taken."""
    lines = text.removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n").split("\n")
    if lines[0].rstrip() != "---":
        return {}, "\n".join(lines)
    fields: dict[str, str] = {}
    for number, line in enumerate(lines[1:], 1):
        if line.rstrip() == "---":
            return fields, "\n".join(lines[number + 1 :]).lstrip("\n")
        key, colon, value = line.partition(":")
        if colon:
            fields[key.strip()] = _unquoted(value.strip())
    return {}, "\n".join(lines)


def _unquoted(value: str) -> str:
    if len(value) >= 2 and value[0] == value[-1] and value[0] in "\"'":
        return value[1:-1]
    return value

"""The folder of scripts, in a real tree: nothing leads out of it, whatever it is called."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from numen.powers.scripts import MAX_READ, MAX_WRITTEN, ScriptError, ScriptFolder

ESCAPES = [
    *("..", "../x.js", "a/../x.js", "a/../../x.js", "a/..", "./../x.js", "..\\x.js", "a\\..\\..\\x.js"),
    *("....//x.js", "a/.../x.js", "a/./x.js", ".", "a//x.js", "", " ", "/", "\\", "a/", "..;/x.js"),
    *("C:\\x.js", "c:/x.js", "C:x.js", "a/c:x.js", "x.js:stream", "x.js::$DATA", "file:///etc/passwd"),
    *("\\\\?\\C:\\x.js", "\\\\.\\pipe\\x", "~/x.js", "$HOME/x.js", "%2e%2e/x.js", "%00.js", "PROGRA~1/x.js"),
    *("con", "CON.js", "a/nul", "NUL.tar.js", "aux .js", "com1.js", "LPT9", "com¹.js", "conin$", "prn/x.js"),
    *("x.js\0", "x\0.js", "x\n.js", "x\r.js", "x\t.js", "x\x7f.js", "\x1b[2J.js", "x\u202ejs", "x\u200b.js"),
    *(
        "．．/x.js",
        "‥/x.js",
        "a／..／x.js",
        "x\u2215y.js",
        "x\u29f8y.js",
        "ﬁle.js",
        "e\u0301.js",
        "\ud800.js",
    ),
    *(
        "x.js.",
        "x.js ",
        ".hidden.js",
        " x.js/y.js",
        "a /x.js",
        "a./x.js",
        "-\u0000",
        "|x.js",
        "x*.js",
        "x?.js",
    ),
    *("x" * 201, "字" * 67, "/".join(["a"] * 17), "a/" * 250 + "x.js", '"x".js', "<x>.js"),
]


@pytest.fixture
def folder(tmp_path: Path) -> ScriptFolder:
    server = tmp_path / "server"
    server.mkdir()
    (tmp_path / "secret.js").write_text("secret")
    (server / "ops.json").write_text("[]")
    return ScriptFolder(server)


def everything(root: Path) -> set[str]:
    return {str(each.relative_to(root)) for each in root.rglob("*") if each.is_file()}


@pytest.mark.parametrize("path", [each for each in ESCAPES if each.strip() == each or each.strip() == ""])
def test_what_leads_elsewhere_is_refused(folder: ScriptFolder, tmp_path: Path, path: str) -> None:
    before = everything(tmp_path)
    for act in (folder.read, folder.delete, lambda name: folder.write(name, "x")):
        with pytest.raises(ScriptError):
            act(path)
    assert everything(tmp_path) == before


@pytest.mark.parametrize("path", ["/etc/passwd", "\\\\server\\share\\x.js", "//x.js", " x.js "])
def test_an_absolute_path_stays_within(folder: ScriptFolder, path: str) -> None:
    shown, _ = folder.write(path, "mine")
    assert not shown.startswith("/")
    assert (folder.root / shown).read_text() == "mine"


def test_scripts_are_written_read_listed_and_deleted(folder: ScriptFolder) -> None:
    assert folder.list() == ([], False)
    assert folder.write("mobs/boss.js", "// Schlußkampf") == ("mobs/boss.js", 15)
    folder.write("a.js", "1")
    folder.write("a.js", "22")
    assert [(each.path, each.size) for each in folder.list()[0]] == [("a.js", 2), ("mobs/boss.js", 15)]
    assert folder.read("mobs/boss.js") == ("// Schlußkampf", False)
    assert folder.delete("a.js") == "a.js"
    with pytest.raises(ScriptError, match="no script a"):
        folder.read("a.js")
    assert everything(folder.root) == {"mobs/boss.js"}, "nothing half written is left"


def test_sizes_have_limits(folder: ScriptFolder) -> None:
    folder.write("long.js", "字" * (MAX_READ + 1))
    text, cut = folder.read("long.js")
    assert (len(text), cut) == (MAX_READ, True)
    with pytest.raises(ScriptError, match="bytes"):
        folder.write("long.js", "x" * (MAX_WRITTEN + 1))
    with pytest.raises(ScriptError, match="half characters"):
        folder.write("half.js", "\ud800")
    for number in range(205):
        folder.write(f"many/{number}.js", "")
    found, more = folder.list()
    assert (len(found), more) == (200, True)


def test_names_that_differ_in_case_alone_are_refused(folder: ScriptFolder) -> None:
    folder.write("Mobs/Boss.js", "x")
    for path in ("mobs/other.js", "Mobs/boss.js"):
        for act in (folder.read, folder.delete, lambda name: folder.write(name, "y")):
            with pytest.raises(ScriptError, match="some systems"):
                act(path)


@pytest.mark.skipif(os.name == "nt", reason="links need rights there")
def test_links_lead_nowhere(folder: ScriptFolder, tmp_path: Path) -> None:
    folder.write("real/x.js", "x")
    (folder.root / "file.js").symlink_to(tmp_path / "secret.js")
    (folder.root / "dangling.js").symlink_to(tmp_path / "new.js")
    (folder.root / "up").symlink_to(tmp_path, target_is_directory=True)
    (folder.root / "self").symlink_to(folder.root, target_is_directory=True)
    (folder.root / "round").symlink_to("round")
    os.link(tmp_path / "secret.js", folder.root / "hard.js")
    paths = ["file.js", "dangling.js", "up/secret.js", "up/server/ops.json", "self/x.js", "hard.js", "round"]
    for path in paths:
        for act in (folder.read, folder.delete, lambda name: folder.write(name, "y")):
            with pytest.raises((ScriptError, OSError)):
                act(path)
    assert (tmp_path / "secret.js").read_text() == "secret"
    assert not (tmp_path / "new.js").exists()
    (folder.root / "alias").symlink_to("real", target_is_directory=True)
    assert folder.read("alias/x.js") == ("x", False), "a link within the folder is no way out"
    assert {each.path for each in folder.list()[0]} == {"hard.js", "real/x.js"}


@pytest.mark.skipif(os.name == "nt", reason="there are no such files there")
def test_only_regular_files_are_touched(folder: ScriptFolder) -> None:
    folder.write("folder.js/x.js", "x")
    os.mkfifo(folder.root / "pipe.js")
    for path in ("folder.js", "pipe.js"):
        for act in (folder.read, folder.delete, lambda name: folder.write(name, "y")):
            with pytest.raises(ScriptError, match="no regular file"):
                act(path)
    with pytest.raises((ScriptError, OSError)):
        folder.write("folder.js/x.js/y.js", "below a file")


def test_without_the_servers_folder_nothing_is_made(tmp_path: Path) -> None:
    with pytest.raises(ScriptError, match="is not there"):
        ScriptFolder(tmp_path / "none").write("x.js", "x")
    assert everything(tmp_path) == set()

"""What must never be fetched: this machine, its neighbours, clouds' metadata, under whatever name."""

from __future__ import annotations

import ipaddress
from collections.abc import Sequence

import pytest

from numen.web import FetchError
from numen.web.addresses import Reach, is_public, kind_of, system_lookup
from numen.web.fetcher import Fetcher, FetchLimits, checked_url
from tests.tool.jiuwen.http_server import Answer, Seen, serving

FORBIDDEN = [
    # IPv4 by range
    *("127.0.0.1", "127.1.2.3", "0.0.0.0", "0.1.2.3", "10.0.0.1", "10.255.255.255", "172.16.0.1"),
    *("172.31.255.254", "192.168.0.1", "192.168.255.1", "169.254.1.1", "100.64.0.1", "100.127.255.254"),
    *("192.0.0.1", "192.0.2.7", "192.88.99.1", "198.18.0.1", "198.19.255.1", "198.51.100.9", "203.0.113.5"),
    *("224.0.0.1", "239.255.255.250", "240.0.0.1", "255.255.255.255"),
    # metadata of clouds
    *("169.254.169.254", "168.63.129.16", "100.100.100.200", "fd00:ec2::254", "fd20:ce::254"),
    # IPv6 by range
    *(
        "::",
        "::1",
        "fe80::1",
        "febf::1",
        "fc00::1",
        "fd12:3456::1",
        "fec0::1",
        "ff02::1",
        "ff0e::1",
        "100::1",
    ),
    *("2001:db8::1", "3fff::1", "5f00::1", "2001:2::1", "2001:10::1"),
    # IPv4 within IPv6: mapped, compatible, translated, 6to4, Teredo, ISATAP
    *("::ffff:127.0.0.1", "::ffff:10.0.0.1", "::ffff:a9fe:a9fe", "::7f00:1", "64:ff9b::127.0.0.1"),
    *("64:ff9b::a00:1", "64:ff9b:1::a00:1", "2002:7f00:1::", "2002:c0a8:1::1"),
    *("2001:0:4136:e378:8000:63bf:3fff:fdd2", "2a00::5efe:10.0.0.1", "2a00::200:5efe:192.168.0.1"),
]
PUBLIC = [
    *("1.1.1.1", "8.8.8.8", "93.184.216.34", "172.32.0.1", "100.128.0.1", "192.0.1.1", "11.0.0.1"),
    *("2606:4700:4700::1111", "2a00:1450:4001:80b::200e", "64:ff9b::8.8.8.8", "::ffff:8.8.8.8"),
]
#: Spellings of a host that a resolver or a parser may take for this machine, or for another private one.
SPELLINGS = [
    *("127.0.0.1", "localhost", "LOCALHOST", "localhost.", "127.1", "127.0.1", "2130706433", "0x7f000001"),
    *("0x7f.0.0.1", "0x7f.1", "0177.0.0.1", "017700000001", "0000177.0.0.1", "127.0.0.1.", "0", "0.0.0.0"),
    *("[::1]", "[0:0:0:0:0:0:0:1]", "[::ffff:127.0.0.1]", "[::ffff:7f00:1]", "[::]", "[::7f00:1]"),
    *("[64:ff9b::127.0.0.1]", "[2002:7f00:1::]", "[fe80::1%25lo]", "①②⑦.⓪.⓪.①", "127。0。0。1", "ⓛocalhost"),
    *("10.0.0.1", "192.168.1.1", "169.254.169.254", "3232235777", "0xA9FEA9FE", "0251.0376.0251.0376"),
    *("[fd00::1]", "[fe80::1]", "100.64.0.1", "224.0.0.1", "255.255.255.255"),
]


def quick(**options: object) -> Fetcher:
    return Fetcher(limits=FetchLimits(connect_s=2, total_s=5), **options)  # type: ignore[arg-type]


@pytest.mark.parametrize("address", FORBIDDEN)
def test_an_address_that_is_not_public_is_known_as_such(address: str) -> None:
    assert not is_public(ipaddress.ip_address(address)), kind_of(ipaddress.ip_address(address))


@pytest.mark.parametrize("address", PUBLIC)
def test_a_public_address_is_known_as_such(address: str) -> None:
    assert is_public(ipaddress.ip_address(address)), kind_of(ipaddress.ip_address(address))


@pytest.mark.parametrize("address", FORBIDDEN)
async def test_a_name_that_resolves_to_such_an_address_is_not_connected_to(address: str) -> None:
    async def lookup(host: str, port: int) -> Sequence[str]:
        assert host == "innocent.example.com"
        return [address]

    with pytest.raises(FetchError, match="public addresses only"):
        await quick(lookup=lookup).get("http://innocent.example.com:27401/")


async def test_one_private_address_among_public_ones_is_enough() -> None:
    async def lookup(host: str, port: int) -> Sequence[str]:
        return ["93.184.216.34", "127.0.0.1"]

    with pytest.raises(FetchError, match="this machine itself"):
        await quick(lookup=lookup).get("http://mixed.example.com/")


async def test_a_name_is_looked_up_once_so_that_it_cannot_change_between_check_and_use() -> None:
    asked: list[str] = []

    async def lookup(host: str, port: int) -> Sequence[str]:
        asked.append(host)
        return ["127.0.0.1"]

    async with serving(Answer(b"hello", headers={"Content-Type": "text/plain"})) as server:
        page = await quick(lookup=lookup, reach=Reach(neighbours=True)).get(
            f"http://some.example.com:{server.port}/"
        )
    assert page.text() == "hello"
    assert asked == ["some.example.com"]


@pytest.mark.parametrize("host", SPELLINGS)
async def test_no_spelling_of_a_host_leads_inside(host: str) -> None:
    async with serving() as server:
        with pytest.raises(FetchError):
            await quick().get(f"http://{host}:{server.port}/")
    assert server.connections == 0


@pytest.mark.parametrize("host", SPELLINGS)
async def test_no_redirect_leads_inside(host: str) -> None:
    """The first hop is allowed by name; where it leads is judged anew."""
    async with serving() as inside:

        def redirect(request: Seen) -> Answer:
            return Answer(b"", 302, headers={"Location": target.encode().decode("latin-1")})

        target = f"http://{host}:{inside.port}/secret"
        async with serving(redirect) as outside:
            reach = Reach.to([f"outside.example:{outside.port}"])

            async def lookup(name: str, port: int) -> Sequence[str]:
                return ["127.0.0.1"] if name == "outside.example" else await system_lookup(name, port)

            with pytest.raises(FetchError):
                await quick(reach=reach, lookup=lookup).get(f"http://outside.example:{outside.port}/")
            assert len(outside.seen) == 1
    assert inside.connections == 0


@pytest.mark.parametrize(
    ("url", "words"),
    [
        ("file:///etc/passwd", "only http and https"),
        ("ftp://example.com/", "only http and https"),
        ("gopher://example.com:70/_x", "only http and https"),
        ("data:text/html,hi", "only http and https"),
        ("javascript:alert(1)", "only http and https"),
        ("unix:///var/run/docker.sock", "only http and https"),
        ("//example.com/", "only http and https"),
        ("example.com", "only http and https"),
        ("", "only http and https"),
        ("http://", "no host"),
        ("http:///x", "no host"),
        ("http://example.com@127.0.0.1/", "a user"),
        ("http://user:pass@example.com/", "a user"),
        ("http://127.0.0.1#@example.com/", "this machine itself"),
        ("http://127.0.0.1?@example.com/", "this machine itself"),
        ("http://example.com\\@127.0.0.1/", "backslashes"),
        ("http://exa mple.com/", "blanks"),
        ("http://example.com/\r\nHost: inside", "blanks"),
        ("http://example.com:22/", "port 22"),
        ("http://example.com:25/", "port 25"),
        ("http://example.com:0/", "port 0"),
        ("http://example.com:6667/", "port 6667"),
        ("http://example.com:99999/", "port 99999"),
        ("http://example.com:port/", "no web address"),
        ("http://[::1/", "no web address"),
        ("http://" + "a" * 3000 + ".com/", "longer than"),
    ],
)
async def test_an_address_that_is_none_is_refused_in_words(url: str, words: str) -> None:
    with pytest.raises(FetchError, match=words):
        await quick().get(url)


async def test_a_redirect_may_not_change_to_another_scheme() -> None:
    for where in ("file:///etc/passwd", "ftp://example.com/", "data:text/plain,x"):
        async with serving(Answer(b"", 301, headers={"Location": where})) as server:
            with pytest.raises(FetchError, match="only http and https"):
                await quick(reach=Reach(neighbours=True)).get(server.url)


async def test_the_proxy_of_the_environment_is_not_used(monkeypatch: pytest.MonkeyPatch) -> None:
    async with serving() as proxy, serving(Answer(b"mine")) as server:
        for name in ("http_proxy", "HTTP_PROXY", "all_proxy", "ALL_PROXY"):
            monkeypatch.setenv(name, proxy.url)
        page = await quick(reach=Reach(neighbours=True)).get(server.url)
    assert page.body == b"mine"
    assert proxy.connections == 0


@pytest.mark.parametrize(
    ("entries", "allowed"),
    [
        (["127.0.0.1"], True),
        (["127.0.0.1:27405"], True),
        (["127.0.0.1:27406"], False),
        (["127.0.0.0/8"], True),
        (["wiki.lan"], True),
        (["WIKI.lan:27405"], True),
        (["other.lan"], False),
        (["10.0.0.0/8"], False),
        ([], False),
    ],
)
def test_the_owner_names_what_of_his_network_may_be_reached(entries: list[str], allowed: bool) -> None:
    address = ipaddress.ip_address("127.0.0.1")
    assert Reach.to(entries).allows("wiki.lan", 27405, address) is allowed


@pytest.mark.parametrize("address", ["169.254.169.254", "100.100.100.200", "224.0.0.1", "0.0.0.0", "fe80::1"])
def test_the_switch_for_private_networks_opens_no_metadata_and_no_multicast(address: str) -> None:
    assert not Reach(neighbours=True).allows("x", 80, ipaddress.ip_address(address))


@pytest.mark.parametrize("address", ["127.0.0.1", "10.0.0.1", "192.168.1.1", "fd12::1", "::ffff:10.0.0.1"])
def test_the_switch_for_private_networks_opens_this_machine_and_its_neighbours(address: str) -> None:
    assert Reach(neighbours=True).allows("x", 80, ipaddress.ip_address(address))


def test_an_ordinary_address_is_taken() -> None:
    for url in ("http://example.com", "https://example.com:8443/a?b=c#d", " https://例え.jp/ページ "):
        assert checked_url(url).host

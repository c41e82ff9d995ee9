"""HTTP endpoints as tools, over real sockets."""

from __future__ import annotations

import asyncio
import datetime
import gzip
import json
import pathlib
import ssl
import zlib
from typing import Any

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

from numen.tool import Dispatcher, ToolContext, ToolRegistry
from numen.tool.jiuwen import JiuwenError, StatusCode, observed_by
from numen.tool.jiuwen.rest_transport import exempt, proxy_for
from numen.tool.jiuwen.restful import RestfulApi, RestfulApiCard
from tests.tool.jiuwen.http_server import Answer, Seen, Server, serving
from tests.tool.jiuwen.recorder import Recorder

TEXT = {"Content-Type": "text/plain"}


@pytest.fixture(autouse=True)
def _no_proxies(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("http_proxy", "https_proxy", "all_proxy", "no_proxy"):
        monkeypatch.delenv(name, raising=False)
        monkeypatch.delenv(name.upper(), raising=False)


def api(url: str, *, allow_private: bool | None = True, **fields: Any) -> RestfulApi:
    return RestfulApi(
        RestfulApiCard("r-1", "users", "Users.", url=url, **fields), allow_private=allow_private
    )


async def refusal(tool: RestfulApi, status: StatusCode, inputs: Any = None, **options: Any) -> JiuwenError:
    with pytest.raises(JiuwenError) as caught:
        await tool.invoke(inputs or {}, options)
    assert caught.value.status is status, caught.value
    return caught.value


async def test_a_call_brings_back_code_data_url_headers_reason_and_message() -> None:
    def answer(request: Seen) -> Answer:
        return Answer(json.dumps({"got": request.json()}).encode())

    async with serving(answer) as server:
        result = await api(server.url + "/v1").invoke({"name": "Alex", "n": 1})

    assert server.request.method == "POST"
    assert server.request.headers["content-type"] == "application/json"
    headers = result.pop("headers")
    assert headers["content-type"] == "application/json"
    assert result == {
        "code": 200,
        "data": {"got": {"name": "Alex", "n": 1}},
        "url": server.url + "/v1",
        "reason": "OK",
        "message": "success",
    }


async def test_a_get_puts_path_query_and_body_where_they_belong() -> None:
    schema = {
        "type": "object",
        "properties": {
            "id": {"type": "string", "location": "path"},
            "tags": {"type": "array", "location": "query"},
            "X-Who": {"type": "string", "location": "header"},
            "limit": {"type": "integer", "default": 5},
        },
        "required": ["id"],
    }
    async with serving() as server:
        tool = api(
            server.url + "/users/{id}",
            method="get",
            headers={"X-Key": "k"},
            queries={"v": "1"},
            input_params=schema,
        )
        result = await tool.invoke({"id": "a b", "tags": ["x", "y"], "X-Who": "me"})

    assert server.request.path == "/users/a%20b"
    assert server.request.query == [("v", "1"), ("tags", "x"), ("tags", "y"), ("limit", "5")]
    assert server.request.headers["x-key"] == "k"
    assert server.request.headers["x-who"] == "me"
    assert server.request.body == b""
    assert result["url"].endswith("?v=***&tags=x&tags=y&limit=5")


async def test_a_form_arrives_as_multipart() -> None:
    schema = {"properties": {"file": {"location": "form"}, "meta": {"type": "object"}}}
    async with serving() as server:
        await api(server.url, input_params=schema).invoke({"file": b"\x89PNG", "meta": {"n": 1}})

    body = server.request.body
    assert server.request.headers["content-type"].startswith("multipart/form-data; boundary=")
    assert b'name="file"; filename="file"\r\nContent-Type: application/octet-stream\r\n\r\n\x89PNG' in body
    assert b'name="meta"\r\nContent-Type: application/json\r\n\r\n{"n": 1}' in body


async def test_the_events_of_a_call_in_order() -> None:
    recorder = Recorder()
    async with serving() as server:
        with observed_by(recorder):
            await api(server.url).invoke({"a": 1})

    assert recorder.events() == [
        "tool_invoke_input",
        "tool_call_started",
        "tool_parse_started",
        "tool_parse_finished",
        "tool_call_finished",
        "tool_invoke_output",
    ]


async def test_inputs_that_do_not_fit_are_never_sent() -> None:
    schema = {"properties": {"n": {"type": "integer"}}, "required": ["n"]}
    async with serving() as server:
        await refusal(api(server.url, input_params=schema), StatusCode.SCHEMA_VALIDATE_INVALID)

        await api(server.url, input_params=schema).invoke({"n": None}, skip_inputs_validate=True)
        await api(server.url, input_params=schema).invoke(
            {"n": None}, skip_inputs_validate=True, skip_none_value=True
        )

    assert [each.body for each in server.seen] == [b'{"n": null}', b""]


async def test_an_error_status_is_a_fault_that_keeps_the_reason() -> None:
    async with serving(Answer(b'{"why": "no such user"}', 404, "Not Found")) as server:
        error = await refusal(api(server.url), StatusCode.TOOL_RESTFUL_API_RESPONSE_ERROR)

    assert "status 404, reason: Not Found" in str(error)
    assert error.details == {"status": 404, "url": server.url, "body": '{"why": "no such user"}'}


@pytest.mark.parametrize("status", [400, 404, 500])
async def test_without_raise_for_status_the_answer_is_a_result(status: int) -> None:
    async with serving(Answer(b'{"why": "so"}', status, "Because")) as server:
        result = await api(server.url).invoke({}, {"raise_for_status": False})

    assert (result["code"], result["data"], result["message"]) == (status, {"why": "so"}, "Because")


async def test_a_redirect_is_not_followed() -> None:
    async with serving() as elsewhere:
        answer = Answer(b"moved", 302, "Found", {"Location": elsewhere.url, **TEXT})
        async with serving(answer) as server:
            result = await api(server.url).invoke()

    assert (result["code"], result["message"], result["data"]) == (302, "Found", "moved")
    assert elsewhere.seen == []


async def test_no_content_is_an_empty_map() -> None:
    async with serving(Answer(b"", 204, "No Content", {})) as server:
        assert (await api(server.url).invoke())["data"] == {}


async def test_a_head_has_no_data_however_much_it_promises() -> None:
    async with serving(Answer(b"x" * 50, length=10**9)) as server:
        result = await api(server.url, method="HEAD").invoke()

    assert (result["data"], result["headers"]["content-length"]) == ({}, str(10**9))


@pytest.mark.parametrize(
    ("kind", "body", "data"),
    [
        ("application/json", b'{"a": [1]}', {"a": [1]}),
        ("application/json; charset=utf-8", b"[1]", [1]),
        ("text/json", b"3", 3),
        ("application/problem+json", b'{"a": 1}', {"a": 1}),
        ("text/javascript", b"{}", {}),
        ("application/json", b"", {}),
        ("application/json", b"  ", {}),
        ("application/json", b"\xef\xbb\xbf{}", {}),
        ("text/html", b"<p>hi</p>", "<p>hi</p>"),
        ("application/xml", b"<a/>", "<a/>"),
        ("application/atom+xml", b"<a/>", "<a/>"),
        ("application/x-www-form-urlencoded", b"a=1&b=2&b=3&c=", {"a": "1", "b": ["2", "3"], "c": ""}),
        ("text/plain; charset=gbk", "矿石".encode("gbk"), "矿石"),
        ("text/plain", "矿石".encode(), "矿石"),
        ("text/plain", b"\xff!", "\ufffd!"),
        (None, b"bare", "bare"),
    ],
)
async def test_an_answer_is_read_by_its_content_type(kind: str | None, body: bytes, data: Any) -> None:
    headers = {} if kind is None else {"Content-Type": kind}
    async with serving(Answer(body, headers=headers)) as server:
        assert (await api(server.url).invoke())["data"] == data


@pytest.mark.parametrize(
    ("headers", "body", "reason"),
    [
        ({"Content-Type": "application/json"}, b"{nope", "Expecting property name"),
        ({"Content-Type": "image/png"}, b"\x89PNG", "nothing here reads image/png"),
        ({"Content-Type": "text/plain; charset=klingon"}, b"x", "no charset is called 'klingon'"),
        ({"Content-Type": "text/plain", "Content-Encoding": "br"}, b"x", "packed as br"),
        ({"Content-Type": "text/plain", "Content-Encoding": "gzip"}, b"not gzip", "badly packed"),
    ],
)
async def test_an_answer_that_cannot_be_read_is_a_fault(
    headers: dict[str, str], body: bytes, reason: str
) -> None:
    async with serving(Answer(body, headers=headers)) as server:
        error = await refusal(api(server.url), StatusCode.TOOL_RESTFUL_API_RESPONSE_PROCESS_ERROR)

    assert reason in str(error)


@pytest.mark.parametrize(("name", "pack"), [("gzip", gzip.compress), ("deflate", zlib.compress)])
async def test_a_packed_answer_is_unpacked(name: str, pack: Any) -> None:
    answer = Answer(pack(b'{"a": 1}'), headers={"Content-Type": "application/json", "Content-Encoding": name})
    async with serving(answer) as server:
        assert (await api(server.url).invoke())["data"] == {"a": 1}

    assert server.request.headers["accept-encoding"] == "identity"


@pytest.mark.parametrize(
    "answer",
    [
        Answer(b"x" * 5000, headers=TEXT),
        Answer(b"x" * 5000, headers=TEXT, length=-1),
        Answer(b"x" * 5, headers=TEXT, length=10**12, hang=5),
        Answer(gzip.compress(b"x" * 50_000_000), headers={**TEXT, "Content-Encoding": "gzip"}),
    ],
    ids=["said", "unsaid", "promised and never sent", "packed"],
)
async def test_an_answer_beyond_the_limit_is_not_taken(answer: Answer) -> None:
    async with serving(answer) as server:
        error = await refusal(
            api(server.url),
            StatusCode.TOOL_RESTFUL_API_RESPONSE_SIZE_EXCEED_LIMIT,
            max_response_byte_size=1024,
        )

    assert error.params["max_length"] == 1024
    assert error.params["actual_length"] > 1024


async def test_an_answer_at_the_limit_is_taken() -> None:
    async with serving(Answer(b"x" * 1024, headers=TEXT)) as server:
        tool = api(server.url, max_response_byte_size=1024)
        assert len((await tool.invoke())["data"]) == 1024


@pytest.mark.parametrize("hang", [0, 3])
async def test_a_silent_server_is_a_timeout(hang: int) -> None:
    async with serving(Answer(b"x" * 9, headers=TEXT, hang=hang)) as server:
        error = await refusal(api(server.url), StatusCode.TOOL_RESTFUL_API_EXECUTION_TIMEOUT, timeout=0.05)

    assert "within 0.05 s" in str(error)


async def test_a_port_nobody_listens_on_is_an_execution_error() -> None:
    async with serving() as server:
        port = server.port
    error = await refusal(api(f"http://127.0.0.1:{port}"), StatusCode.TOOL_RESTFUL_API_EXECUTION_ERROR)

    assert "connect" in str(error).lower()


async def test_a_connection_cut_in_the_middle_is_an_execution_error() -> None:
    async def cut_at_once(request: Seen) -> Answer:
        raise ConnectionError

    for answer in (cut_at_once, Answer(b"half", headers=TEXT, length=100)):
        async with serving(answer) as server:
            await refusal(api(server.url), StatusCode.TOOL_RESTFUL_API_EXECUTION_ERROR)


async def test_a_stream_is_refused() -> None:
    with pytest.raises(JiuwenError) as caught:
        await api("http://127.0.0.1:9").stream()

    assert caught.value.status is StatusCode.TOOL_STREAM_NOT_SUPPORTED


async def test_a_missing_path_value_is_an_execution_error() -> None:
    schema = {"properties": {"id": {"location": "path"}}}
    error = await refusal(
        api("http://127.0.0.1:9/{id}", input_params=schema), StatusCode.TOOL_RESTFUL_API_EXECUTION_ERROR
    )

    assert "path parameter id is missing" in str(error)


async def test_request_args_add_headers_params_and_cookies_and_nothing_else() -> None:
    async with serving() as server:
        extra = {"headers": {"X-A": "1"}, "params": {"p": "2"}, "cookies": {"c": "3"}}
        result = await api(server.url).invoke({}, request_args=extra)
        error = await refusal(
            api(server.url),
            StatusCode.TOOL_RESTFUL_API_EXECUTION_ERROR,
            request_args={"follow_redirects": True},
        )

    assert (server.request.headers["x-a"], server.request.headers["cookie"]) == ("1", "c=3")
    assert server.request.query == [("p", "2")]
    assert result["url"].endswith("?p=***")
    assert "not follow_redirects" in str(error)


async def test_a_cookie_set_by_an_answer_is_not_shown() -> None:
    headers = {**TEXT, "Set-Cookie": "session=s3cret"}
    async with serving(Answer(b"x", headers=headers)) as server:
        assert (await api(server.url).invoke())["headers"]["set-cookie"] == "***"


async def test_no_secret_of_the_card_is_in_a_result_or_an_error() -> None:
    secrets = {"headers": {"X-Key": "s3cret-h"}, "queries": {"key": "s3cret-q"}}
    async with serving() as server:
        result = await api(server.url, **secrets).invoke()
        port = server.port
    async with serving(Answer(b"no", 403, "Forbidden", TEXT)) as forbidding:
        denied = await refusal(api(forbidding.url, **secrets), StatusCode.TOOL_RESTFUL_API_RESPONSE_ERROR)
    unreached = await refusal(
        api(f"http://127.0.0.1:{port}", **secrets), StatusCode.TOOL_RESTFUL_API_EXECUTION_ERROR
    )

    assert "s3cret" not in f"{result} {denied} {denied.to_dict()} {unreached} {unreached.to_dict()}"


# Where it may connect to


PRIVATE = [
    "127.0.0.1",
    "127.8.9.1",
    "0.0.0.0",
    "10.1.2.3",
    "172.16.0.1",
    "192.168.1.1",
    "169.254.169.254",
    "100.64.0.1",
    "198.18.0.1",
    "224.0.0.1",
    "240.0.0.1",
    "255.255.255.255",
    "::1",
    "::",
    "fe80::1",
    "fe80::1%1",
    "fc00::1",
    "fd12:3456::1",
    "fec0::1",
    "ff02::1",
    "::127.0.0.1",
    "::ffff:127.0.0.1",
    "::ffff:10.0.0.1",
    "64:ff9b::192.168.0.1",
    "2002:7f00:1::",
    "2001:db8::1",
]


def resolving(monkeypatch: pytest.MonkeyPatch, *addresses: str) -> list[str]:
    """Let every name resolve to `addresses`; returns the list of names asked for."""
    asked: list[str] = []
    loop = asyncio.get_running_loop()

    async def getaddrinfo(host: str, port: int, **options: Any) -> list[Any]:
        asked.append(host)
        return [(0, 0, 0, "", (each, port)) for each in addresses]

    monkeypatch.setattr(loop, "getaddrinfo", getaddrinfo)
    return asked


@pytest.mark.parametrize("address", PRIVATE)
async def test_no_connection_is_made_to_an_address_that_is_not_public(
    address: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    resolving(monkeypatch, address)
    error = await refusal(
        api("http://innocent.example.com:25640/", allow_private=None),
        StatusCode.TOOL_RESTFUL_API_EXECUTION_ERROR,
        timeout=5,
    )

    assert "tools reach public addresses only" in str(error)


@pytest.mark.parametrize(
    "host", ["127.0.0.1", "localhost", "[::1]", "2130706433", "0x7f.1", "0177.0.0.1", "[::ffff:127.0.0.1]"]
)
async def test_this_machine_is_not_reached_under_any_spelling(host: str) -> None:
    async with serving() as server:
        await refusal(
            api(f"http://{host}:{server.port}/", allow_private=None),
            StatusCode.TOOL_RESTFUL_API_EXECUTION_ERROR,
        )

    assert server.connections == 0


async def test_one_private_address_among_public_ones_is_enough(monkeypatch: pytest.MonkeyPatch) -> None:
    async with serving() as server:
        resolving(monkeypatch, "93.184.216.34", "127.0.0.1")
        await refusal(
            api(f"http://mixed.example.com:{server.port}/", allow_private=None),
            StatusCode.TOOL_RESTFUL_API_EXECUTION_ERROR,
        )

    assert server.connections == 0


async def test_the_judged_address_is_the_one_connected_to(monkeypatch: pytest.MonkeyPatch) -> None:
    async with serving() as server:
        asked = resolving(monkeypatch, "127.0.0.1")
        result = await api(f"http://some.example.com:{server.port}/").invoke()

    assert result["code"] == 200
    assert asked == ["some.example.com"]
    assert server.request.headers["host"] == f"some.example.com:{server.port}"


async def test_the_next_address_is_tried_where_the_first_does_not_answer(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    async with serving() as server:
        resolving(monkeypatch, "127.0.0.2", "127.0.0.1")
        assert (await api(f"http://two.example.com:{server.port}/").invoke())["code"] == 200


async def test_the_switch_of_the_environment_allows_private_addresses(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    async with serving() as server:
        monkeypatch.setenv("SSRF_PROTECT_ENABLED", "false")
        assert (await api(server.url, allow_private=None).invoke())["code"] == 200

        await refusal(api(server.url, allow_private=False), StatusCode.TOOL_RESTFUL_API_EXECUTION_ERROR)
        monkeypatch.setenv("SSRF_PROTECT_ENABLED", "true")
        await refusal(api(server.url, allow_private=None), StatusCode.TOOL_RESTFUL_API_EXECUTION_ERROR)


# Proxies


async def test_a_request_goes_through_the_proxy_of_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    async with serving() as proxy:
        monkeypatch.setenv("HTTP_PROXY", f"http://me:pass@127.0.0.1:{proxy.port}")
        result = await api("http://nowhere.invalid/x?a=1", method="GET", allow_private=None).invoke()

    assert result["code"] == 200
    assert proxy.request.target == "http://nowhere.invalid/x?a=1"
    assert proxy.request.headers["proxy-authorization"] == "Basic bWU6cGFzcw=="


async def test_a_proxy_is_no_way_around_the_rule(monkeypatch: pytest.MonkeyPatch) -> None:
    async with serving() as proxy:
        monkeypatch.setenv("http_proxy", proxy.url)
        error = await refusal(
            api("http://169.254.169.254/latest", allow_private=None),
            StatusCode.TOOL_RESTFUL_API_EXECUTION_ERROR,
        )

    assert "link-local" in str(error)
    assert proxy.connections == 0


async def test_a_proxy_may_be_given_for_one_call() -> None:
    async with serving() as proxy:
        await api("http://nowhere.invalid/").invoke({}, request_args={"proxy": proxy.url})

    assert proxy.request.target == "http://nowhere.invalid/"


async def test_no_proxy_goes_straight(monkeypatch: pytest.MonkeyPatch) -> None:
    async with serving() as server, serving() as proxy:
        monkeypatch.setenv("http_proxy", proxy.url)
        monkeypatch.setenv("no_proxy", "127.0.0.0/8")
        await api(server.url).invoke()

    assert (server.connections, proxy.connections) == (1, 0)


@pytest.mark.parametrize(
    ("no_proxy", "host", "expected"),
    [
        ("*", "example.com", True),
        ("example.com", "example.com", True),
        ("EXAMPLE.com", "example.COM", True),
        ("example.com", "api.example.com", False),
        (".example.com", "api.example.com", True),
        (".example.com", "example.com", True),
        (".example.com", "badexample.com", False),
        ("10.0.0.1", "10.0.0.1", True),
        ("10.0.0.0/8", "10.9.9.9", True),
        ("10.0.0.0/8", "11.0.0.1", False),
        ("fd00::/8", "fd00::1", True),
        ("a.com, b.com ,", "b.com", True),
        ("", "b.com", False),
        ("not a network/9", "10.0.0.1", False),
    ],
)
def test_no_proxy_by_name_suffix_address_and_network(no_proxy: str, host: str, expected: bool) -> None:
    assert exempt(host, no_proxy) is expected


@pytest.mark.parametrize(
    ("environment", "url", "proxy"),
    [
        ({}, "http://a.com/", None),
        ({"http_proxy": "http://p:1"}, "http://a.com/", "http://p:1"),
        ({"HTTPS_PROXY": "p:2"}, "https://a.com/", "http://p:2"),
        ({"http_proxy": "http://p:1"}, "https://a.com/", None),
        ({"HTTP_PROXY": "http://upper", "http_proxy": "http://lower"}, "http://a.com/", "http://lower"),
        ({"https_proxy": "http://p", "NO_PROXY": ".a.com"}, "https://x.a.com/", None),
    ],
)
def test_the_proxy_for_a_url(environment: dict[str, str], url: str, proxy: str | None) -> None:
    assert proxy_for(url, environment) == proxy


# TLS


def certificate(folder: pathlib.Path) -> tuple[pathlib.Path, ssl.SSLContext]:
    """A certificate for `localhost` that only itself vouches for, and a server's settings with it."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "localhost")])
    now = datetime.datetime.now(datetime.UTC)
    made = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(1)
        .not_valid_before(now - datetime.timedelta(days=1))
        .not_valid_after(now + datetime.timedelta(days=1))
        .add_extension(x509.SubjectAlternativeName([x509.DNSName("localhost")]), critical=False)
        .add_extension(x509.BasicConstraints(ca=True, path_length=None), critical=True)
        .sign(key, hashes.SHA256())
    )
    path = folder / "certificate.pem"
    private = folder / "key.pem"
    path.write_bytes(made.public_bytes(serialization.Encoding.PEM))
    private.write_bytes(
        key.private_bytes(
            serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
        )
    )
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(path, private)
    return path, context


def by_name(server: Server) -> str:
    return f"https://localhost:{server.port}/"


async def test_a_certificate_nobody_vouches_for_is_refused(tmp_path: pathlib.Path) -> None:
    _, context = certificate(tmp_path)
    async with serving(context=context) as server:
        error = await refusal(api(by_name(server)), StatusCode.TOOL_RESTFUL_API_EXECUTION_ERROR)

    assert "CERTIFICATE_VERIFY_FAILED" in str(error)
    assert server.seen == []


async def test_a_certificate_of_ones_own_may_be_trusted(
    tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path, context = certificate(tmp_path)
    monkeypatch.setenv("RESTFUL_SSL_CERT", str(path))
    async with serving(context=context) as server:
        assert (await api(by_name(server)).invoke())["code"] == 200

        # The name is still checked, though the connection goes to a judged address.
        await refusal(api(f"https://127.0.0.1:{server.port}/"), StatusCode.TOOL_RESTFUL_API_EXECUTION_ERROR)


async def test_the_check_of_certificates_may_be_switched_off(
    tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    _, context = certificate(tmp_path)
    monkeypatch.setenv("RESTFUL_SSL_VERIFY", "false")
    async with serving(context=context) as server:
        assert (await api(by_name(server)).invoke())["code"] == 200


async def test_a_certificate_file_that_is_none_is_told_with_its_own_code(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("RESTFUL_SSL_CERT", "/no/such/file.pem")

    error = await refusal(api("https://localhost:9/"), StatusCode.COMMON_SSL_CERT_INVALID)

    assert "/no/such/file.pem" in str(error)


# In the engine


async def test_a_model_sees_status_and_data_and_a_schema_without_locations() -> None:
    schema = {
        "type": "object",
        "properties": {"n": {"type": "integer", "location": "query", "description": "How many."}},
        "required": ["n"],
    }
    async with serving(Answer(b'{"ok": true}')) as server:
        registry = ToolRegistry()
        registry.register(api(server.url, method="GET", input_params=schema))
        finished = await Dispatcher(registry).run("c1", "users", '{"n": "3"}', ToolContext(companion="Numen"))

    assert registry.resolve("users").parameter_schema["properties"] == {
        "n": {"type": "integer", "description": "How many."}
    }
    assert server.request.query == [("n", "3")]
    assert json.loads(finished.content) == {"code": 200, "message": "success", "data": {"ok": True}}


async def test_a_refusal_reaches_the_model_with_its_code_and_reason() -> None:
    async with serving(Answer(b'{"why": "unknown user"}', 404, "Not Found")) as server:
        registry = ToolRegistry()
        registry.register(api(server.url))
        finished = await Dispatcher(registry).run("c1", "users", "{}", ToolContext(companion="Numen"))

    result = json.loads(finished.content)
    assert result["success"] is False
    assert result["data"]["code"] == 182103
    assert result["data"]["status"] == 404
    assert result["data"]["body"] == '{"why": "unknown user"}'

"""Declarations of HTTP endpoints, and the requests made from them."""

from __future__ import annotations

from typing import Any

import pytest

from numen.tool.jiuwen import JiuwenError, StatusCode
from numen.tool.jiuwen.rest_request import Built, build, place
from numen.tool.jiuwen.restful import RestfulApi, RestfulApiCard

URL = "https://api.example.com/v1/users"


def schema(**properties: Any) -> dict[str, Any]:
    return {"type": "object", "properties": properties}


def built(inputs: dict[str, Any], **fields: Any) -> Built:
    card = RestfulApiCard("r", "users", **{"url": URL, **fields})
    return build(card, place(inputs, card.input_params))


def test_what_is_left_out_has_its_default() -> None:
    card = RestfulApiCard("r", "users", url=URL)

    assert (card.method, card.timeout, card.max_response_byte_size) == ("POST", 60.0, 10 * 1024 * 1024)
    assert (card.headers, card.queries, card.paths) == ({}, {}, {})


@pytest.mark.parametrize("method", ["get", "Post", "PUT", "patch", "DELETE", "head", "options"])
def test_methods_are_taken_in_any_case_and_kept_upper(method: str) -> None:
    assert RestfulApiCard("r", url=URL, method=method).method == method.upper()


@pytest.mark.parametrize(
    ("fields", "reason"),
    [
        ({"url": ""}, "it is empty"),
        ({"url": "ftp://example.com/x"}, "neither http nor https"),
        ({"url": "example.com/x"}, "neither http nor https"),
        ({"url": "file:///etc/passwd"}, "neither http nor https"),
        ({"url": "http:///x"}, "no host"),
        ({"url": "http://example.com:port/"}, "Port could not be cast"),
        ({"url": "http://me:secret@example.com/"}, "credentials into headers"),
        ({"url": "http://{host}/x"}, "its host is not fixed"),
        ({"url": "http://example.com/a b"}, "blanks"),
        ({"url": None}, "url"),
        ({"method": "TRACE"}, "'TRACE' is none of"),
        ({"timeout": 0}, "timeout 0"),
        ({"timeout": 301}, "timeout 301"),
        ({"max_response_byte_size": 0}, "not above 0"),
        ({"url": URL + "/{id}"}, "no property id with location path"),
        (
            {"url": URL + "/{id}", "input_params": schema(id={"type": "string", "location": "query"})},
            "no property id with location path",
        ),
        ({"input_params": schema(id={"type": "string", "location": "cookie"})}, "location 'cookie' of id"),
    ],
)
def test_a_card_no_request_could_be_made_of_is_refused(fields: dict[str, Any], reason: str) -> None:
    with pytest.raises(JiuwenError) as caught:
        RestfulApiCard("r", "users", **{"url": URL, **fields})

    assert caught.value.status is StatusCode.TOOL_RESTFUL_API_CARD_CONFIG_INVALID
    if reason != "url":
        assert reason in str(caught.value)
    assert "secret" not in str(caught.value)


def test_a_bad_url_is_caused_by_the_code_for_urls() -> None:
    with pytest.raises(JiuwenError) as caught:
        RestfulApiCard("r", url="ftp://example.com")

    assert isinstance(caught.value.cause, JiuwenError)
    assert caught.value.cause.status is StatusCode.COMMON_URL_INPUT_INVALID


def test_a_card_spoiled_after_it_was_made_is_refused_by_the_tool() -> None:
    card = RestfulApiCard("r", url=URL)
    card.url = "nowhere"

    with pytest.raises(JiuwenError):
        RestfulApi(card)


def test_a_path_property_without_a_place_is_only_a_warning(caplog: pytest.LogCaptureFixture) -> None:
    RestfulApiCard("r", "users", url=URL, input_params=schema(id={"type": "string", "location": "path"}))

    assert "no place for id" in caplog.text


def test_cards_with_different_endpoints_are_not_equal() -> None:
    one = RestfulApiCard("r", url=URL)

    assert one == RestfulApiCard("r", url=URL)
    assert one != RestfulApiCard("r", url=URL, method="GET")
    assert one != RestfulApiCard("r", url=URL, headers={"X": "1"})


def test_each_input_goes_where_its_property_says() -> None:
    request = built(
        {"id": "a/b c", "q": "x&y", "X-Who": "me", "body": {"n": 1}, "undeclared": 1},
        url=URL + "/{id}",
        input_params=schema(
            id={"type": "string", "location": "path"},
            q={"type": "string", "location": "query"},
            **{"X-Who": {"type": "string", "location": "header"}},
            body={"type": "object"},
        ),
    )

    assert request.url == URL + "/a%2Fb%20c?q=x%26y"
    assert request.headers == {"X-Who": "me", "Content-Type": "application/json"}
    assert request.content == b'{"body": {"n": 1}}'


def test_without_a_schema_everything_goes_to_the_body() -> None:
    assert built({"a": 1, "b": [2]}).content == b'{"a": 1, "b": [2]}'


@pytest.mark.parametrize("method", ["GET", "HEAD", "OPTIONS", "DELETE"])
def test_where_there_is_no_body_its_values_go_to_the_query(method: str) -> None:
    request = built(
        {"a": 1, "flag": True, "tags": ["x", "y"], "deep": {"n": 1}},
        method=method,
        input_params=schema(a={}, flag={}, tags={"location": "query"}, deep={}),
    )

    assert request.content is None
    assert request.url == URL + "?tags=x&tags=y&a=1&flag=true&deep=%7B%22n%22%3A+1%7D"


def test_an_input_takes_the_place_of_the_cards_value_unless_it_says_nothing() -> None:
    fields: dict[str, Any] = {
        "url": URL + "/{id}",
        "method": "GET",
        "headers": {"X-Key": "k", "X-Lang": "en"},
        "queries": {"page": 1, "size": 10},
        "paths": {"id": "me"},
        "input_params": schema(
            id={"location": "path"},
            page={"location": "query"},
            size={"location": "query"},
            **{"X-Lang": {"location": "header"}},
        ),
    }

    said = built({"id": "you", "page": 2, "size": None, "X-Lang": "zh"}, **fields)
    unsaid = built({"id": "", "page": "", "X-Lang": None}, **fields)

    assert said.url == URL + "/you?page=2&size=10"
    assert said.headers == {"X-Key": "k", "X-Lang": "zh"}
    assert unsaid.url == URL + "/me?page=1&size=10"
    assert unsaid.headers == {"X-Key": "k", "X-Lang": "en"}


def test_a_query_in_the_url_is_kept_and_replaced_key_by_key() -> None:
    request = built(
        {"page": 3},
        url=URL + "?page=1&fixed=yes",
        method="GET",
        input_params=schema(page={"location": "query"}),
    )

    assert request.url == URL + "?fixed=yes&page=3"


def test_the_shown_url_hides_what_the_card_brought() -> None:
    request = built(
        {"q": "ore"},
        url=URL + "?token=t0psecret",
        method="GET",
        queries={"api_key": "s3cret"},
        input_params=schema(q={"location": "query"}),
    )

    assert request.url == URL + "?token=t0psecret&api_key=s3cret&q=ore"
    assert request.shown_url == URL + "?token=***&api_key=***&q=ore"


@pytest.mark.parametrize(
    ("value", "reason"), [("..", "another place"), (".", "another place"), ("", "missing")]
)
def test_a_path_value_that_would_leave_its_place_is_refused(value: str, reason: str) -> None:
    with pytest.raises(ValueError, match=reason):
        built({"id": value}, url=URL + "/{id}", input_params=schema(id={"location": "path"}))


def test_a_header_cannot_smuggle_in_another() -> None:
    with pytest.raises(ValueError, match="header X-Who has a line break"):
        built({"X-Who": "me\r\nX-Admin: 1"}, input_params=schema(**{"X-Who": {"location": "header"}}))


def test_a_form_is_multipart_and_its_body_values_are_json_parts() -> None:
    request = built(
        {
            "file": b"\x89PNG",
            "name": "a",
            "empty": "",
            "meta": {"n": 1},
            "named": ("x.txt", b"hi", "text/plain"),
        },
        headers={"content-type": "application/json", "X-Key": "k"},
        input_params=schema(
            file={"location": "form"},
            name={"location": "form"},
            empty={"location": "form"},
            named={"location": "form"},
            meta={"type": "object"},
        ),
    )

    assert request.headers == {"X-Key": "k"}
    assert request.content is None
    assert request.files == [
        ("meta", (None, '{"n": 1}', "application/json")),
        ("file", ("file", b"\x89PNG", "application/octet-stream")),
        ("name", (None, "a", None)),
        ("named", ("x.txt", b"hi", "text/plain")),
    ]


def test_a_form_handler_nobody_registered_is_named() -> None:
    with pytest.raises(ValueError, match="'zip'"):
        built(
            {"file": b"x"},
            input_params=schema(file={"location": "form", "form_handler_type": "zip"}),
        )

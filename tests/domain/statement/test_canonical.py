"""Canonical JSON: one text for one document, back again the same, and every other text refused."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sla.domain.statement.canonical import NotCanonical, canonical, digest, parse
from sla.domain.statement.code import LETTERS, code_of, typed_code

texts = st.text(st.characters(exclude_categories=["Cs"]), max_size=12)
leaves = st.none() | st.booleans() | st.integers(-(2**53) + 1, 2**53 - 1) | texts
documents = st.recursive(
    leaves, lambda inner: st.lists(inner, max_size=4) | st.dictionaries(texts, inner, max_size=4), max_leaves=12
)


@given(documents)
def test_a_document_comes_back_as_it_was(document: Any) -> None:
    assert parse(canonical(document)) == document


@given(st.dictionaries(texts, leaves, min_size=2, max_size=6))
def test_the_order_of_keys_changes_nothing(document: dict[str, Any]) -> None:
    assert canonical(dict(reversed(document.items()))) == canonical(document)


@given(documents, st.data())
def test_a_changed_byte_is_another_document_or_none(document: Any, data: st.DataObject) -> None:
    text = canonical(document)
    at = data.draw(st.integers(0, len(text) - 1))
    changed = bytearray(text)
    changed[at] ^= 1 << data.draw(st.integers(0, 7))
    try:
        other = parse(bytes(changed))
    except NotCanonical:
        return
    assert other != document or type(other) is not type(document)
    assert digest(bytes(changed)) != digest(text)


@pytest.mark.parametrize("odd", [1.5, float("nan"), 2**53, {1: 2}, {"a": [0.0]}, "\ud800", b"x"])
def test_what_could_be_written_in_two_ways_is_refused(odd: Any) -> None:
    with pytest.raises(NotCanonical):
        canonical(odd)


@pytest.mark.parametrize(
    "text", [b'{"b":1,"a":2}', b'{"a": 1}', b'{"a":1}\n', b'{"a":1.0}', b'"\\u0041"', b"{", b"\xff"]
)
def test_other_texts_of_the_same_document_are_refused(text: bytes) -> None:
    with pytest.raises(NotCanonical):
        parse(text)


def test_a_code_reads_aloud_and_forgives_what_people_type() -> None:
    code = code_of(digest(b"anything"))
    assert len(code) == 19
    assert set(code) <= {*LETTERS, "-"}
    assert typed_code(code.lower().replace("-", " ").replace("0", "o").replace("1", "l")) == code
    assert typed_code(code[:-1]) is None
    assert typed_code("") is None


@given(st.binary(min_size=1, max_size=8), st.binary(min_size=1, max_size=8))
def test_codes_of_two_digests_differ(one: bytes, other: bytes) -> None:
    assert (code_of(digest(one)) == code_of(digest(other))) == (one == other)


def test_python_would_have_written_it_otherwise() -> None:
    document = {"b": "ж", "a": 1}
    assert canonical(document) == '{"a":1,"b":"ж"}'.encode() != json.dumps(document).encode()

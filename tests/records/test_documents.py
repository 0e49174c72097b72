"""Repositories, articles and manifests."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest

from kb.records.documents import (
    decode_article,
    decode_manifest,
    decode_repository,
    encode_article,
    encode_manifest,
    encode_repository,
)

SHA256 = "0" * 64
REPOSITORY: dict[str, Any] = {
    "repo": "axios/axios",
    "description": None,
    "language": "JavaScript",
    "stars": 100_000,
    "sourceFiles": None,
    "defaultBranch": "v1.x",
    "analyzedSha": "0132848349585cfe6aae51c4941cbae872505f8a",
    "analyzedAt": "2026-08-28T05:10:05.995Z",
    "errorCount": 63,
}
ARTICLE: dict[str, Any] = {
    "slug": "econnrefused",
    "clusterKey": "code:ECONNREFUSED",
    "title": "Connection refused",
    "summary": "Nobody listens.",
    "background": "A `connect` was **answered** with a reset.",
    "commonCauses": [{"cause": "No server", "detail": "It is not running."}, {"cause": "x", "detail": "", "weight": 1}],
    "fixes": ["Start the server"],
    "guideSlugs": [],
    "errorIds": ["12c38bb1afed0ec1"],
    "errorCount": 1204,
    "repoCount": 90,
    "generatedAt": "2026-08-28T05:10:05Z",
    "schemaVersion": 1,
}
MANIFEST: dict[str, Any] = {
    "schemaVersion": 2,
    "datasetVersion": "2026-08-28T06:17:29.519Z",
    "counts": {"repos": 1, "errors": 63, "infoPages": 2, "guides": 0},
    "files": {
        "index": {"path": "/data/index.json", "bytes": 10, "sha256": SHA256},
        "odd name": {
            "path": "/data/index.json.gz",
            "bytes": 5,
            "sha256": SHA256,
            "encoding": "gzip",
            "rawBytes": 10,
            "rawSha256": SHA256,
        },
    },
}
KINDS = {
    "repository": (decode_repository, encode_repository, REPOSITORY, {"repo"}),
    "article": (decode_article, encode_article, ARTICLE, {"slug", "clusterKey", "title", "schemaVersion"}),
    "manifest": (decode_manifest, encode_manifest, MANIFEST, {"schemaVersion", "datasetVersion", "counts"}),
}


@pytest.fixture(params=KINDS)
def kind(request):
    return KINDS[request.param]


def codes(problems):
    return [(problem.code, problem.path) for problem in problems]


def test_documents_come_back_as_they_were(kind):
    decode, encode, document, required = kind
    for mapping in (document, {name: document[name] for name in required}, document | {"new": {"a": [1]}}):
        value, problems = decode(msgspec.json.encode(mapping), origin="x.json")
        assert problems == ()
        assert encode(value) == mapping
        assert decode(mapping)[0] == value


def test_required_fields_must_be_there(kind):
    decode, _, document, required = kind
    for name in document:
        value, problems = decode({key: item for key, item in document.items() if key != name}, origin="x.json")
        assert codes(problems) == ([("missing_field", f"$.{name}")] if name in required else [])
        assert (value is None) == (name in required)
        assert all(problem.origin == "x.json" for problem in problems)


def test_types_are_strict(kind):
    decode, _, document, _ = kind
    for name in document:
        for wrong in (5.5, True, [5], {"a": 5}, b""):
            value, problems = decode(document | {name: wrong})
            assert value is None
            assert {problem.code for problem in problems} <= {"wrong_type", "missing_field"}


@pytest.mark.parametrize("raw", [b"", b"[]", b"{", b"\xff", b"[" * 100_000, b"<html>"])
def test_what_is_no_document_is_a_problem(kind, raw):
    value, problems = kind[0](raw)
    assert value is None
    assert len(problems) == 1


def test_a_repository_reads_as_attributes():
    info, _ = decode_repository(REPOSITORY)
    assert info is not None
    assert (info.repo, info.stars, info.default_branch, info.description) == ("axios/axios", 100_000, "v1.x", None)


def test_a_manifest_reads_as_attributes():
    manifest, _ = decode_manifest(MANIFEST)
    assert manifest is not None
    assert (manifest.repos, manifest.errors, manifest.info_pages) == (1, 63, 2)
    assert manifest.files["odd name"].raw_bytes == 10
    assert manifest.files["index"].encoding is None


def test_an_article_reads_as_attributes():
    article, _ = decode_article(ARTICLE)
    assert article is not None
    assert [(cause.cause, cause.detail) for cause in article.common_causes] == [
        ("No server", "It is not running."),
        ("x", ""),
    ]


@pytest.mark.parametrize(
    ("decode", "mapping", "found"),
    [
        (decode_manifest, MANIFEST | {"schemaVersion": 1}, [("unsupported_schema_version", "$.schemaVersion")]),
        (decode_article, ARTICLE | {"schemaVersion": 2}, [("unsupported_schema_version", "$.schemaVersion")]),
        (decode_manifest, MANIFEST | {"datasetVersion": "v5"}, [("bad_timestamp", "$.datasetVersion")]),
        (decode_manifest, MANIFEST | {"counts": {"repos": -1}}, [
            ("out_of_range", "$.counts.repos"), ("missing_field", "$.counts.errors"),
        ]),
        (decode_manifest, MANIFEST | {"files": {"a b": {"path": "/data/x", "bytes": 1, "sha256": "x"}}}, [
            ("malformed_value", '$.files["a b"].sha256'),
        ]),
        (decode_manifest, MANIFEST | {"files": {"a": None}}, [("wrong_type", "$.files.a")]),
        (decode_article, ARTICLE | {"commonCauses": [{"cause": "a"}, {"detail": 5}, 7]}, [
            ("missing_field", "$.commonCauses[1].cause"), ("wrong_type", "$.commonCauses[1].detail"),
            ("wrong_type", "$.commonCauses[2]"),
        ]),
        (decode_article, ARTICLE | {"errorIds": ["x"]}, [("malformed_value", "$.errorIds[0]")]),
        (decode_article, ARTICLE | {"slug": "A b"}, [("malformed_value", "$.slug")]),
        (decode_repository, REPOSITORY | {"repo": "../x"}, [("malformed_value", "$.repo")]),
        (decode_repository, REPOSITORY | {"stars": -1}, [("out_of_range", "$.stars")]),
        (decode_repository, REPOSITORY | {"x": float("inf")}, [("non_finite", "$.x")]),
    ],
)  # fmt: skip
def test_broken_rules_have_their_code_and_place(decode, mapping, found):
    value, problems = decode(mapping)
    assert value is None
    assert codes(problems) == found


@pytest.mark.parametrize("path", ["/data/index.json", "/data/repos/a/b..c.json", "/data/.x", "/data/a b~+.json"])
def test_paths_below_data_are_safe(path):
    manifest, _ = decode_manifest(MANIFEST | {"files": {"f": {"path": path, "bytes": 1, "sha256": SHA256}}})
    assert manifest is not None
    assert manifest.files["f"].path == path


@pytest.mark.parametrize(
    "path",
    [
        "", "/", "/data", "/data/", "data/x", "/x", "/data/../x", "/data/a/..", "/data/./a", "/data//a", "/data/a//b",
        "/data/a\\b", "/data/%2e%2e/a", "/data/a?b", "/data/a#b", "/data/a\nb", "//data/x", "https://a/data/x",
    ],
)  # fmt: skip
def test_other_paths_are_not(path):
    value, problems = decode_manifest(MANIFEST | {"files": {"f": {"path": path, "bytes": 1, "sha256": SHA256}}})
    assert value is None
    assert codes(problems) == [("unsafe_path", "$.files.f.path")]


def test_warnings_do_not_refuse_a_document():
    info, problems = decode_repository(REPOSITORY | {"description": "a\x00"})
    assert info is not None
    assert info.description == "a\ufffd"
    assert codes(problems) == [("replaced_characters", "$.description")]

"""The readers of the environment accept what is documented and name what they refuse."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kb.env import VARIABLES, EnvironmentReader, ImproperEnvironment, asset_root


def test_a_misspelt_name_is_refused_with_the_nearest_one() -> None:
    with pytest.raises(ImproperEnvironment, match=r"KB_WORKER is not a setting .* Did you mean KB_WORKERS\?") as caught:
        EnvironmentReader({"KB_WORKER": "3"})
    assert all(row.name in str(caught.value) for row in VARIABLES)


def test_a_file_variant_exists_for_secrets_only() -> None:
    EnvironmentReader({"KB_SECRET_KEY_FILE": "/nowhere"})
    with pytest.raises(ImproperEnvironment, match="KB_DEBUG_FILE is not a setting"):
        EnvironmentReader({"KB_DEBUG_FILE": "/nowhere"})


def test_names_of_others_are_left_alone() -> None:
    assert EnvironmentReader({"PATH": "/bin", "KBX": "1"}).text("KB_BASE_URL") == ""


def test_a_secret_is_read_from_its_file_without_the_last_line_break(tmp_path: Path) -> None:
    kept = tmp_path / "key"
    kept.write_text("very secret \n")
    assert EnvironmentReader({"KB_SECRET_KEY_FILE": str(kept)}).text("KB_SECRET_KEY") == "very secret "


def test_a_secret_given_twice_is_refused(tmp_path: Path) -> None:
    reader = EnvironmentReader({"KB_SECRET_KEY": "a", "KB_SECRET_KEY_FILE": str(tmp_path / "key")})
    with pytest.raises(ImproperEnvironment, match="both set"):
        reader.text("KB_SECRET_KEY")


@pytest.mark.parametrize("content", [None, b"\xff\xfe\x80"])
def test_a_secret_file_that_cannot_be_read_is_named(tmp_path: Path, content: bytes | None) -> None:
    kept = tmp_path / "key"
    if content is not None:
        kept.write_bytes(content)
    with pytest.raises(ImproperEnvironment, match=f"KB_SECRET_KEY_FILE names {kept}"):
        EnvironmentReader({"KB_SECRET_KEY_FILE": str(kept)}).text("KB_SECRET_KEY")


@pytest.mark.parametrize(
    ("value", "expected"),
    [("", True), ("1", True), ("Yes", True), (" on ", True), ("0", False), ("FALSE", False), ("no", False)],
)
def test_a_flag_reads(value: str, expected: bool) -> None:
    assert EnvironmentReader({"KB_DEBUG": value}).flag("KB_DEBUG", default=True) is expected


@pytest.mark.parametrize(
    ("name", "value", "read"),
    [
        ("KB_DEBUG", "maybe", lambda env: env.flag("KB_DEBUG", default=False)),
        ("KB_WORKERS", "0", lambda env: env.number("KB_WORKERS", default=2, least=1, most=64)),
        ("KB_WORKERS", "65", lambda env: env.number("KB_WORKERS", default=2, least=1, most=64)),
        ("KB_WORKERS", "two", lambda env: env.number("KB_WORKERS", default=2, least=1, most=64)),
        ("KB_WORKERS", "-1", lambda env: env.number("KB_WORKERS", default=2, least=1, most=64)),
        ("KB_WORKERS", "٣", lambda env: env.number("KB_WORKERS", default=2, least=1, most=64)),
        ("KB_LOG_LEVEL", "LOUD", lambda env: env.choice("KB_LOG_LEVEL", default="INFO", choices=("INFO", "ERROR"))),
        ("KB_BASE_URL", "errors.example.org", lambda env: env.base_url("KB_BASE_URL")),
        ("KB_BASE_URL", "ftp://errors.example.org", lambda env: env.base_url("KB_BASE_URL")),
        ("KB_BASE_URL", "https://errors.example.org/?q=1", lambda env: env.base_url("KB_BASE_URL")),
    ],
)
def test_a_bad_value_is_refused_by_name_with_what_is_expected(
    name: str, value: str, read: Callable[[EnvironmentReader], object]
) -> None:
    with pytest.raises(ImproperEnvironment, match=f"{name} is .* but must be "):
        read(EnvironmentReader({name: value}))


def test_a_list_is_separated_by_commas() -> None:
    reader = EnvironmentReader({"KB_ALLOWED_HOSTS": "a.example, b.example,,"})
    assert reader.names("KB_ALLOWED_HOSTS") == ("a.example", "b.example")
    assert EnvironmentReader({}).names("KB_ALLOWED_HOSTS", default=("localhost",)) == ("localhost",)


def test_the_base_address_loses_its_last_slash() -> None:
    assert EnvironmentReader({"KB_BASE_URL": "https://e.example/kb/"}).base_url("KB_BASE_URL") == "https://e.example/kb"


def test_a_relative_path_counts_from_the_working_directory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert EnvironmentReader({"KB_DATA_DIR": "data"}).path("KB_DATA_DIR", default=Path("var")) == tmp_path / "data"
    assert EnvironmentReader({}).path("KB_DATA_DIR", default=Path("var")) == tmp_path / "var"


@given(st.dictionaries(st.from_regex(r"KB_[A-Z_]{0,12}", fullmatch=True), st.text(max_size=8), max_size=3))
def test_any_environment_is_read_or_refused_with_words(environment: dict[str, str]) -> None:
    try:
        EnvironmentReader(environment).number("KB_WORKERS", default=2, least=1, most=64)
    except ImproperEnvironment as refused:
        assert any(name in str(refused) for name in environment)


def test_assets_of_a_checkout_are_at_its_root(project_root: Path) -> None:
    assert asset_root() == project_root


@pytest.mark.parametrize(
    ("name", "value", "message"),
    [
        ("KB_DATABSE_URL", "x", "Did you mean KB_DATABASE_URL?"),
        ("KB_DATABASE_URL", "mysql://localhost/kb", "KB_DATABASE_URL must begin with postgresql://"),
        ("KB_THREADS", "many", "KB_THREADS is 'many', but must be a whole number"),
    ],
)
def test_the_program_ends_with_the_message_and_no_traceback(
    tmp_path: Path, name: str, value: str, message: str
) -> None:
    ended = subprocess.run(
        [sys.executable, "-m", "kb.cli.program", "check"],
        env={"PATH": "/usr/bin:/bin", "KB_DATA_DIR": str(tmp_path), name: value},
        capture_output=True,
        text=True,
        check=False,
    )
    assert ended.returncode == 2
    assert message in ended.stderr
    assert "Traceback" not in ended.stderr


@pytest.mark.parametrize(
    "value",
    [
        "",
        "https://example.org/new?title={title}&body={url}",
        "https://example.org:8443/{repo}/{id}#{dataset}",
        "mailto:errors@example.org?subject={id}%20of%20{dataset}",
    ],
)
def test_a_pattern_of_addresses_is_taken_as_it_is(value: str) -> None:
    assert EnvironmentReader({"KB_REPORT_URL": value}).report_url("KB_REPORT_URL") == value


@pytest.mark.parametrize(
    "value",
    [
        "http://example.org/",
        "javascript:alert(1)",
        "https://",
        "https://{repo}/",
        "https://example.org.{repo}/",
        "mailto:{id}@example.org",
        "mailto:nobody",
        "https://example.org/?t={name}",
        "https://example.org/?t={title",
        "https://example.org/?t={{title}}",
        "https://example.org/ new",
        'https://example.org/"onclick="x',
        "https://[example.org/",
        "/report",
    ],
)
def test_a_pattern_that_could_lead_elsewhere_is_refused(value: str) -> None:
    with pytest.raises(ImproperEnvironment, match=r"KB_REPORT_URL is .* \{title\}"):
        EnvironmentReader({"KB_REPORT_URL": value}).report_url("KB_REPORT_URL")

"""Masking secrets: what is masked, what is not, and where things stand afterwards."""

from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kb.matching.reading.secrets import mask

# Put together here so that no scanner of the repository takes them for real ones.
GITHUB = "ghp_" + "a1B2" * 9
AWS = "AKIA" + "IOSFODNN7EXAMPLE"
JWT = "eyJhbGciOiJIUzI1NiJ9" + ".eyJzdWIiOiIxMjM0In0" + ".abcDEF_123"
PEM = (
    "-----BEGIN RSA PRIVATE KEY-----\nMIIEowIBAAKCAQEA1234567890\nabcdefghijklmnopqrstuv\n-----END RSA PRIVATE KEY-----"
)


@pytest.mark.parametrize(
    ("text", "secret", "kind"),
    [
        ("postgres://bob:s3cr3t@db.example:5432/x", "s3cr3t", "password in a URL"),
        ("redis://:hunter2@cache", "hunter2", "password in a URL"),
        ("https://bob:p@ss@host/x", "p@ss", "password in a URL"),
        ("https://" + "0a1b2c3d" * 4 + "@sentry.example/1", "0a1b2c3d" * 4, "token in a URL"),
        ("Server=x;User Id=sa;Password=Abc123;Encrypt=yes", "Abc123", "password"),
        ("password=hunter", "hunter", "password"),
        ("password: hunter2 was wrong", "hunter2", "password"),
        ("  password: hunter", "hunter", "password"),
        ('db_password = "hun ter2"', "hun ter2", "password"),
        ("DB_PASS=abcd", "abcd", "password"),
        ('{"password": "hunter", "user": "x"}', "hunter", "password"),
        ('{\\"password\\": \\"hunter\\"}', "hunter", "password"),
        ("connect(password='hunter')", "hunter", "password"),
        ("tool --password hunter2 run", "hunter2", "password"),
        ("Authorization: Bearer abc.def.ghi123", "abc.def.ghi123", "authorization"),
        ("'Authorization': 'Basic dXNlcjpwYXNz'", "dXNlcjpwYXNz", "authorization"),
        ("Cookie: sid=abc; theme=dark", "sid=abc; theme=dark", "cookie"),
        ("X-Api-Key: 12345abcdef", "12345abcdef", "key"),
        ("AccountKey=abc+/def==;EndpointSuffix=x", "abc+/def==", "key"),
        ("aws_secret_access_key = wJalrXUtnFEMI/K7MDENG", "wJalrXUtnFEMI/K7MDENG", "key"),
        ("client_secret=abc&x=1", "abc", "key"),
        ("?sv=1&sig=abc%2Fdef%3D&x=1", "abc%2Fdef%3D", "token"),
        ("access_token=abc&x", "abc", "token"),
        ("token: abc123def456", "abc123def456", "token"),
        (AWS, AWS, "AWS access key"),
        ("AIza" + "a1B2-" * 7, "AIza" + "a1B2-" * 7, "Google key"),
        ("abc8Q~" + "a1B2" * 9, "abc8Q~" + "a1B2" * 9, "Azure secret"),
        (f"for {GITHUB}.", GITHUB, "GitHub token"),
        ("github_pat_" + "a1B2" * 9, "github_pat_" + "a1B2" * 9, "GitHub token"),
        ("glpat-" + "a1B2" * 5, "glpat-" + "a1B2" * 5, "GitLab token"),
        ("xoxb-" + "123-" * 5, "xoxb-" + "123-" * 5, "Slack token"),
        ("sk_live_" + "a1B2" * 6, "sk_live_" + "a1B2" * 6, "Stripe key"),
        ("key provided: sk-abc123**********wxyz. You", "sk-abc123**********wxyz", "OpenAI key"),
        ("sk-proj-" + "a1B2" * 10, "sk-proj-" + "a1B2" * 10, "OpenAI key"),
        ("sk-ant-api03-" + "a1B2" * 10, "sk-ant-api03-" + "a1B2" * 10, "Anthropic key"),
        ("npm_" + "a1B2" * 9, "npm_" + "a1B2" * 9, "npm token"),
        ("pypi-" + "AgEI" * 10, "pypi-" + "AgEI" * 10, "PyPI token"),
        (JWT, JWT, "JWT"),
    ],
)
def test_a_secret_is_replaced_by_a_mark_of_its_kind(text: str, secret: str, kind: str) -> None:
    masked = mask(f"one\n{text}\ntwo")
    mark = "\u2039" + kind + "\u203a"
    assert masked.text == "one\n" + text.replace(secret, mark) + "\ntwo"
    assert masked.counts == ((kind, 1),)


@pytest.mark.parametrize("kind", ["password", "GitHub token", "authorization", "password in a URL"])
@pytest.mark.parametrize(
    "text",
    [
        "password={}",
        "token: {}",
        'api_key = "{}"',
        '{{"secret": "{}"}}',
        "Authorization: {}",
        "'Authorization': 'Bearer {}'",
        "Authorization:Basic{}",
        "tool --password {} run",
        "https://me:{}@host/x",
        "cookie: {}",
        "for {}.",
    ],
)
def test_the_mark_of_a_secret_that_was_hidden_before_is_left_alone(text: str, kind: str) -> None:
    before = text.format(f"\u2039{kind}\u203a")
    assert mask(before).text == before
    assert mask(before).counts == ()


@pytest.mark.parametrize(
    "text",
    [
        "KeyError: 'password'",
        'KeyError: "password": x',
        "token expired",
        "Invalid token: expired",
        "password: required",
        "Unexpected token: foo1234",
        "SyntaxError: Unexpected token '=' in JSON",
        "Invalid value for key 'api_key': expected string",
        'password authentication failed for user "bob"',
        "Missing required parameter: token",
        "Client(token=token, password=settings.PASSWORD, api_key=get_key())",
        'api_key=os.environ["X"]',
        "password=${DB_PASSWORD}",
        "password=********",
        "password = None",
        '{"password": "This field is required"}',
        "{'password': ['This field is required.']}",
        '"token_type": "bearer"',
        "max_tokens=100 pad_token='</s>' pad_token=eos_token num_token: 12345",
        "pypi-package-name-is-long-enough sk-learn-something-long-name",
        "https://example.com/a@b and user@example.com:22",
        "expected -----BEGIN CERTIFICATE----- first",
        "TypeError: key: 5, monkey=abc, compass=north",
        'File "/srv/secrets.py", line 3, in token',
    ],
)  # fmt: skip
def test_ordinary_words_of_errors_stay(text: str) -> None:
    masked = mask(text)
    assert masked.text == text
    assert masked.counts == ()


def test_a_block_of_several_lines_keeps_its_lines() -> None:
    assert mask(f"a\n{PEM}\nb").text == "a\n\u2039private key\u203a\n\n\n\nb"
    assert mask(PEM[:-40]).text.startswith("\u2039private key\u203a\n")
    assert "MII" not in mask(PEM.replace("\n", "\\n")).text
    assert "MII" not in mask(PEM.replace("\n", "\r\n")[:70]).text


def test_all_secrets_of_a_text_are_counted() -> None:
    masked = mask(f"password=a1 pwd=b2 {GITHUB} token={GITHUB}")
    assert masked.counts == (("GitHub token", 2), ("password", 2))
    assert GITHUB not in masked.text


@given(st.lists(st.sampled_from(("password=abc1", " ", "\n", "x", f"{GITHUB} ", "a://b:c@d ", "é", PEM)), max_size=12))
def test_offsets_lead_to_the_same_characters_or_to_the_mark(pieces: list[str]) -> None:
    text = "".join(pieces)
    masked = mask(text)
    assert text.count("\n") == masked.text.count("\n")
    last = 0
    for offset in range(len(text) + 1):
        target = masked.to_masked(offset)
        assert last <= target <= len(masked.text)
        last = target
        inside = any(start <= offset < end for start, end in zip(masked.starts, masked.ends, strict=True))
        if not inside and offset < len(text):
            assert masked.text[target] == text[offset]
    assert masked.to_masked(len(text)) == len(masked.text)


@given(st.text(st.sampled_from("pasword=:'\" \n\\-eyJ.@/{skKtn1İ\ud800"), max_size=80))
def test_any_text_is_masked_without_losing_a_line(text: str) -> None:
    masked = mask(text)
    assert len(masked.text.splitlines()) == len(text.splitlines())


@pytest.mark.parametrize(
    "piece",
    [
        *("a", '"', "\\", "\0", "\ud800", "İ", "-", "://", "://a:b@", "password=", "token:", 'password:"', "secret='"),
        *(
            "bearer ",
            "eyJ",
            "eyJaaaaaaaaa.",
            "sk-",
            "--",
            "--a-",
            "cookie:",
            "cookie: a",
            "authorization: ",
            "api_key ",
        ),
        *(
            "-----BEGIN A-----",
            "-----BEGIN A-----\n" + "a" * 20 + "\n",
            "-----BEGIN A-----\n-----END ",
            "glpat-",
            "sig=",
        ),
    ],
)
def test_hostile_text_is_masked_in_bounded_time(piece: str) -> None:
    text = piece * (256 * 1024 // len(piece))
    begin = time.process_time()
    mask(text)
    assert time.process_time() - begin < 1.5  # many times what it takes, for a busy machine


@pytest.mark.parametrize("before", ["\x1b[31m", "\x1b[1;31m\x1b[0m", "^[[31m", "\\x1b[31m"])
@pytest.mark.parametrize("inside", ["", "\x1b[0m\x1b[32m"])
def test_a_secret_in_color_is_masked(before: str, inside: str) -> None:
    token = "ghp_" + "aB3" * 12
    text = f"pushing with {before}{token[:20]}{inside}{token[20:]}\x1b[0m failed"
    masked = mask(text)
    assert token[4:20] not in masked.text
    assert token[20:] not in masked.text
    assert masked.text.startswith("pushing with ")
    assert masked.text.endswith(" failed")

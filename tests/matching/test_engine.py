"""Explaining a text: which record comes first, how sure, and what is told of it."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from typing import Any

import pytest

from kb.matching.answers import Context, Explanation
from kb.matching.engine import explain, explain_many

pytestmark = pytest.mark.django_db

Importer = Callable[..., Any]


def raw(
    message: str, pattern: str, *, repo: str = "org/tool", path: str = "src/tool/core.py", **more: Any
) -> dict[str, Any]:
    """A record in the dataset's own words."""
    code = more.get("errorCode")
    identity = hashlib.sha256(f"{repo}\x01{code or message}\x01{path}".encode()).hexdigest()[:16]
    return {
        "id": identity,
        "repo": repo,
        "slug": f"r-{identity}",
        "errorCode": None,
        "errorMessage": message,
        "messagePattern": pattern,
        "errorType": "exception",
        "errorClass": None,
        "httpStatus": None,
        "severity": "error",
        "filePath": path,
        "lineNumber": 40,
        "sourceCode": None,
        "sourceCodeStart": None,
        "sourceCodeEnd": None,
        "githubUrl": f"https://github.com/{repo}/blob/{'a' * 40}/{path}",
        "documentation": "What it means.",
        "triggerScenarios": "When it happens.",
        "commonSituations": "Where it happens.",
        "solutions": ["Do the other thing."],
        "exampleFix": None,
        "handlingStrategy": None,
        "validationCode": None,
        "typeGuard": None,
        "tryCatchPattern": None,
        "preventionTips": [],
        "tags": [],
        "backgroundTag": None,
        "analyzedSha": "a" * 40,
        "analyzedAt": "2026-08-01T00:00:00Z",
        "schemaVersion": 2,
    } | more


def trace(message: str, *, path: str = "/v/lib/python3.12/site-packages/tool/core.py", line: int = 41) -> str:
    return (
        "Traceback (most recent call last):\n"
        '  File "/home/me/app.py", line 3, in <module>\n'
        "    main()\n"
        f'  File "{path}", line {line}, in run\n'
        "    raise error\n"
        f"{message}\n"
    )


def best(explanation: Explanation) -> tuple[str, str] | None:
    return (explanation.best.id, explanation.best.confidence) if explanation.best else None


QUOTA = raw(
    "Worker {name} exceeded its quota of {limit} jobs",
    "Worker (.+?) exceeded its quota of (.+?) jobs",
    errorClass="QuotaError",
)


def test_a_trace_finds_its_record_with_the_evidence(import_records: Importer) -> None:
    import_records(QUOTA)
    answer = explain(trace("tool.errors.QuotaError: Worker alpha exceeded its quota of 12 jobs"))
    assert best(answer) == (QUOTA["id"], "exact")
    assert answer.best is not None
    assert {"message", "class", "frame", "line"} <= {piece.kind for piece in answer.best.evidence}
    assert [(c.name, c.value) for c in answer.best.captures] == [("name", "alpha"), ("limit", "12")]
    marked = {(mark.kind, answer.text[mark.start : mark.end].strip()) for mark in answer.marks}
    assert ("message", "Worker alpha exceeded its quota of 12 jobs") in marked
    assert ("class", "tool.errors.QuotaError") in marked


@pytest.mark.parametrize("text", ["", "   \n\t\n", "\x00\x00", "\ufffd"])
def test_nothing_is_found_in_nothing(import_records: Importer, text: str) -> None:
    import_records(QUOTA)
    assert explain(text).best is None


def test_an_empty_catalog_answers(db: None) -> None:
    answer = explain(trace("ValueError: something else"))
    assert (answer.revision, answer.status, answer.best) == (0, "none", None)


def test_other_words_find_nothing(import_records: Importer) -> None:
    import_records(QUOTA)
    answer = explain("ValueError: the fish could not be fried")
    assert (answer.status, best(answer)) == ("none", None)


def test_a_trace_in_another_language_is_no_evidence(import_records: Importer) -> None:
    import_records(QUOTA)
    text = "Error: Worker alpha exceeded its quota of 12 jobs\n    at run (/app/node_modules/tool/core.js:40:3)"
    assert best(explain(text)) is None


@pytest.mark.parametrize(("path", "language"), [("src/tool/core.ts", "TypeScript"), ("src/tool/core.cc", "C++")])
def test_languages_that_run_together_are_not_foreign(import_records: Importer, path: str, language: str) -> None:
    import_records(
        raw(
            "Worker {name} exceeded its quota of {limit} jobs",
            "Worker (.+?) exceeded its quota of (.+?) jobs",
            path=path,
        )
    )
    text = "Error: Worker alpha exceeded its quota of 12 jobs\n    at run (/app/node_modules/tool/src/core.js:40:3)"
    assert explain(text).best is not None, language


def test_a_message_of_the_interpreter_belongs_to_a_record_only_at_its_site(import_records: Importer) -> None:
    own = raw(
        "'{name}' object has no attribute '{attribute}'",
        "'(.+?)' object has no attribute '(.+?)'",
        errorClass="AttributeError",
    )
    import_records(own)
    message = "AttributeError: 'Thing' object has no attribute 'size'"
    assert best(explain(message)) is None
    assert best(explain(trace(message, path="/home/me/other.py"))) is None
    found = best(explain(trace(message)))
    assert found == (own["id"], "weak")


def test_a_message_of_many_projects_is_weak_by_its_text(import_records: Importer) -> None:
    same = [
        raw(
            "The given configuration file does not exist",
            "The given configuration file does not exist",
            repo=f"org/p{n}",
            path=f"p{n}/x.py",
        )
        for n in range(6)
    ]
    import_records(*same)
    answer = explain("The given configuration file does not exist")
    assert answer.best is not None
    assert answer.best.confidence == "weak"
    assert answer.best.alike_count == 5
    sited = explain(trace("ValueError: The given configuration file does not exist", path="/v/site-packages/p3/x.py"))
    assert best(sited) in {(same[3]["id"], "exact"), (same[3]["id"], "strong")}


def test_two_classes_of_one_package_are_two_errors(import_records: Importer) -> None:
    import_records(
        raw("{path} does not exist", "(.+?) does not exist", errorClass="MissingPage", path="src/tool/views.py")
    )
    text = 'tool.db.ProgrammingError: relation "jobs" does not exist\nLINE 1: SELECT id FROM jobs'
    answer = explain(text)
    assert answer.best is None or answer.best.confidence == "weak"
    same = explain(text.replace("db.ProgrammingError", "MissingPage"))
    assert same.best is not None
    assert same.best.confidence in {"exact", "strong"}


def test_what_follows_the_line_of_a_whole_message_does_not_count_against_it(import_records: Importer) -> None:
    import_records(QUOTA)
    message = "tool.errors.QuotaError: Worker alpha exceeded its quota of 12 jobs"
    assert best(explain(trace(f"{message}\nconnecting to the other broker again"))) == (QUOTA["id"], "exact")


def test_the_caller_chooses_between_twins(import_records: Importer) -> None:
    twins = [
        raw(
            "Session {id} was closed by the peer",
            "Session (.+?) was closed by the peer",
            path=f"src/tool/{name}.py",
            repo=f"org/{name}",
        )
        for name in ("first", "second")
    ]
    import_records(*twins)
    text = "Session 12 was closed by the peer"
    for twin in twins:
        answer = explain(text, context=Context(repositories=(twin["repo"],)))
        assert answer.best is not None
        assert answer.best.id == twin["id"]


def test_a_wrapper_does_not_outrank_what_it_wraps(import_records: Importer) -> None:
    wrapper = raw(
        "The job runner gave up after {n} attempts",
        "The job runner gave up after (.+?) attempts",
        path="src/tool/retry.py",
        errorClass="RetryError",
    )
    import_records(QUOTA, wrapper)
    text = (
        trace("tool.errors.QuotaError: Worker alpha exceeded its quota of 12 jobs")
        + "\nThe above exception was the direct cause of the following exception:\n\n"
        + trace(
            "tool.errors.RetryError: The job runner gave up after 3 attempts", path="/v/site-packages/tool/retry.py"
        )
    )
    answer = explain(text)
    assert [fault.role for fault in answer.faults] == ["root", "outermost"]
    assert [fault.confidence for fault in answer.faults] == ["exact", "exact"]
    assert best(answer) == (QUOTA["id"], "exact")


def test_secrets_do_not_come_back(import_records: Importer) -> None:
    import_records(
        raw("Could not connect to the broker at {url} in time", "Could not connect to the broker at (.+?) in time")
    )
    secret = "hunter2hunter2"
    answer = explain(f"Error: Could not connect to the broker at amqp://me:{secret}@host/ in time")
    assert answer.best is not None
    assert secret not in repr(answer)
    assert sum(one.count for one in answer.masked) >= 1


@pytest.mark.parametrize(
    ("text", "secret"),
    [
        (trace("QuotaError: no", path="/srv/https://me:hunter2hunter2@host/tool/core.py"), "hunter2hunter2"),
        (
            "TypeError: no\n    at run (https://host/app.js?access_token=hunter2hunter2hunter2:3:4)\n",
            "hunter2hunter2hunter2",
        ),
        (
            "panic: no\n\ngoroutine 1 [running]:\nmain.run()\n\t/srv/ghp_abcdefghijklmnopqrstuvwxyz0123456789/m.go:3\n",
            "ghp_abcdefghij",
        ),
        ("ghp_abcdefghijklmnopqrstuvwxyz0123456789.QuotaError: no", "ghp_abcdefghij"),
        ("api_key=hunter2hunter2.QuotaError: no", "hunter2hunter2"),
    ],
)
def test_no_field_tells_a_secret(import_records: Importer, text: str, secret: str) -> None:
    import_records(QUOTA)
    answer = explain(text)
    assert answer.faults
    assert secret not in repr(answer)


def test_frames_stay_as_they_are_when_one_tells_a_secret(import_records: Importer) -> None:
    import_records(QUOTA)
    fault = (
        explain(trace("QuotaError: no", path="/srv/ghp_abcdefghijklmnopqrstuvwxyz0123456789/core.py")).faults[0].fault
    )
    assert [(frame.line, frame.function) for frame in fault.frames] == [(41, "run"), (3, "<module>")]
    assert fault.frames[0].path.startswith("/srv/\u2039")
    assert fault.frames[0].path.endswith("/core.py")


def test_a_batch_gives_what_single_calls_give(import_records: Importer, django_assert_max_num_queries) -> None:
    import_records(QUOTA)
    texts = [
        trace("QuotaError: Worker a exceeded its quota of 1 jobs"),
        "nothing",
        "",
        "Worker b exceeded its quota of 2 jobs",
    ]
    singles = tuple(explain(text) for text in texts)
    assert explain_many(texts) == singles
    with django_assert_max_num_queries(2):
        explain_many(texts * 10)


def test_a_pattern_that_is_the_template_word_for_word_still_finds_what_is_printed(import_records: Importer) -> None:
    long = raw(
        "Several {kind} were discovered in one folder: {found}. Choose one of them in the settings.",
        r"Several \{kind\} were discovered in one folder: \{found\}\. Choose one of them in the settings\.",
    )
    import_records(long)
    answer = explain("error: Several packages were discovered in one folder: a, b. Choose one of them in the settings.")
    assert answer.best is not None
    assert (answer.best.id, [c.value for c in answer.best.captures]) == (long["id"], ["packages", "a, b"])


def test_a_reworded_message_is_found_by_class_and_site(import_records: Importer) -> None:
    import_records(QUOTA)
    answer = explain(trace("tool.errors.QuotaError: The worker alpha has exceeded its quota of 12 running jobs"))
    assert answer.best is not None
    assert answer.best.id == QUOTA["id"]
    assert answer.best.confidence in {"strong", "weak"}

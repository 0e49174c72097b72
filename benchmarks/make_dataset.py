#!/usr/bin/env python3
"""Generate synthetic err-lookup datasets (schemaVersion 2) of any size for tests and benchmarks.

The text is realistic because it is grown from real code: every ``raise X("...")`` found by ``ast``
in the harvested Python files (stdlib and site-packages by default) gives a message template, a
class, a function name and a source snippet, and the docstrings give English sentences. These are
recombined with Zipf-distributed vocabulary and with Go, Java, Rust, JS and errno style templates.

Standard library only; memory stays constant (one repository is held at a time); the output depends
only on the arguments and on the harvested files (same interpreter + same packages = same bytes).

Generate (layout "upstream" writes the files a mirror of upstream's /data/ would have; "jsonl" writes
one full record per line to DIR/records.jsonl)::

    python make_dataset.py --records 500000 --out DIR [--layout upstream|jsonl] [--seed S]
                           [--harvest PATH ...] [--harvest-files 6000] [--jobs 2]

    DIR/manifest.json            counts, and bytes + sha256 of the two files below as stored on disk
    DIR/index.json.gz            one short entry per record
    DIR/repos.json               one entry per repository
    DIR/repos/{owner}/{name}.json   the repository's full records

Next version of an existing dataset (fractions of its records; changed records keep their id;
repositories without a change are copied byte for byte; NEW_DIR/changes.json, which is not part of the
layout, lists the ids that changed, went and came)::

    python make_dataset.py --mutate OLD_DIR --out NEW_DIR [--change 0.01] [--remove 0.003] [--add 0.005]

Test inputs for message matching, from the dataset in DIR (just generated, or existing when
--records is absent). JSONL of {"text", "id", "kind": bare|log|traceback}; id is null for the 10%
whose message comes from no record. Other records may match a text too (duplicates, near-universal
patterns), so "id" is a record that must be found, not the only one::

    python make_dataset.py --out DIR --queries 1000 --out-queries FILE [--seed S]
"""

# ruff: noqa: ANN204, C901, D101, D102, D103, E501, EXE001, ICN001, PLR0911, PLR0913, PLR0917, PLR2004, Q003, SIM905
# One program in one file, mostly tables of words: it reads better wide.
from __future__ import annotations

import argparse
import ast
import collections
import contextlib
import dataclasses
import datetime
import gzip
import hashlib
import json
import math
import multiprocessing
import pathlib
import random
import re
import shutil
import sys
import sysconfig
import warnings
from collections.abc import Iterable, Iterator

SCHEMA_VERSION = 2
FULL_SIZE = 500_000  # records upstream has, roughly, in FULL_REPOS repositories
FULL_REPOS = 2_000
BIGGEST_REPO = 3_000
FAMILIES = 5_000  # distinct backgroundTag values
SNIPPET_BEFORE, SNIPPET_AFTER = 18, 18  # lines around the raise site: 37 in all
MAX_MESSAGE = 2_000
FIRST_VERSION = datetime.datetime(2026, 8, 28, 6, 17, 29, 519000, datetime.UTC)

# {name}, {0}, {}, {:?}, ${expr}, and printf verbs: what upstream turns into (.+?)
PLACEHOLDER = re.compile(
    r"\$\{[^{}\n]*\}|\{[A-Za-z0-9_.\[\]]*(?:![rsa])?(?::[^{}\n]*)?\}|%[-+#0]?\d*(?:\.\d+)?[sdifrqvwxuTp](?![A-Za-z])"
)
REGEX_SPECIAL = re.compile(r"[.*+?^${}()|\[\]\\]")
SLUG_JUNK = re.compile(r"[^a-z0-9]+")

# --------------------------------------------------------------------------------------------
# Fixed vocabulary
# --------------------------------------------------------------------------------------------
# fmt: off

COMMON_MESSAGES = """invalid argument|not found|permission denied|timeout|connection refused|unauthorized
internal server error|index out of range|out of memory|invalid input|bad request|access denied|file not found
unknown error|not implemented|invalid token|operation not permitted|connection reset by peer|forbidden
no such file or directory|invalid state|unexpected end of file|already exists|invalid format|key not found
request timed out|too many requests|service unavailable|context deadline exceeded|context canceled|null pointer
division by zero|invalid credentials|broken pipe|invalid configuration|assertion failed|unsupported operation
stack overflow|unexpected token|missing required parameter|user not found|resource not found|invalid JSON
validation failed|not supported|session expired|token expired|read only|end of stream|queue is full
network error|invalid length|checksum mismatch|duplicate key|deadlock detected|unreachable|closed|not connected
invalid signature|invalid response|invalid header|unexpected EOF""".replace("\n", "|").split("|")

NEAR_UNIVERSAL = ["{message}", "%s", "{err}", "${error}", "{0}", "{}", "%s: %w", "{0}: {1}", "${name}: ${message}",
                  "Error: {err}", "error", "failed", "{type} {value}", "%v", "unknown", "Error", "{e}", "%s %s", "[{code}] {msg}"]

UNICODE_MESSAGES = ["无法打开文件 {path}:权限不足", "参数 {name} 无效", "請求逾時,請稍後再試", "接続がタイムアウトしました: {host}",
                    "設定ファイル「{name}」が見つかりません", "잘못된 요청입니다: {field}", "Datei „{name}“ konnte nicht geöffnet werden",
                    "échec de la connexion à {host} après {count} essais", "não foi possível ler o módulo {name}", "Ошибка чтения файла {path}",
                    "値が範囲外です({min} ≤ x ≤ {max})", "✗ build failed — {count} errors", "用户 {user} 不存在", "数据库连接失败:{reason}"]

GRAMMAR = {
    "Go": ["failed to <V> <N>: %w", "failed to <V> <N> %q: %w", "could not <V> <N>: %v", "<n>: <N> is <S>", "unable to <V> <N> for %s: %w",
           "<N> %q not found in <N>", "invalid <N>: expected %d, got %d", "<V> <N>: unexpected <N> type %T", "no <N> configured for <N> %s", "%s: <V> <N>: %w",
           "error <V>ing <N>: %s", "<n>.<V>: <N> must be <S>"],
    "Java": ["<N> must not be null", "Cannot <V> <N> [{0}]", "Unable to <V> <N> for class {className}", "<N> '{0}' is <S>", "Failed to <V> <N> at {path}; nested exception is {cause}",
             "Unsupported <N> type: {type}", "No <N> bound to <N> {name}", "Expected <N> of length {expected} but was {actual}", "<N> already <S>: %s", "Could not <V> <N> because <N> is <S>"],
    "Rust": ["failed to <V> <N>: {}", "<N> out of bounds: the len is {} but the index is {}", "invalid <N> `{}` for <N>", "cannot <V> <N> while <N> is <S>", "called `<N>::<V>()` on a `None` value: {:?}",
             "missing field `{}` in <N>", "<N> is <S>", "expected <N>, found {found}", "unknown <N> variant `{}`, expected one of {}"],
    "TypeScript": ["The \"${name}\" <N> must be of type ${expected}. Received ${actual}", "Cannot <V> <N> of ${value}", "<N> \"${name}\" is <S>", "Failed to <V> <N>: ${error.message}", "Invalid <N> ${key}: ${reason}",
                   "Unknown <N> option '${option}'", "Missing required <N> `${field}`", "[<n>] <N> must be <S>", "Expected ${expected} <N>s but got ${actual}", "Could not resolve <N> \"${id}\" from <N> ${parent}"],
    "Python": ["<N> {name!r} is <S>", "Cannot <V> <N> {name}", "Expected <N> to be <S>, got {type}", "Unknown <N>: {name}", "Failed to <V> <N> for {target}: {exc}", "<N> must be <S>", "`<n>` is not a valid <N> for {cls}", "No <N> named '%s' in <N> '%s'"],
    "C++": ["<n>: <N> is <S> (%s)", "unable to <V> <N> '%s'", "%s: invalid <N> %d", "<N> mismatch: %d vs %d", "could not <V> <N>: %s", "unexpected <N> in <N> at line %d"],
}
GRAMMAR["JavaScript"] = GRAMMAR["TypeScript"]
GRAMMAR["C#"] = GRAMMAR["Java"]
GRAMMAR["PHP"] = GRAMMAR["C++"]

VERBS = "open read load parse create write connect find resolve decode encode start update delete initialize get fetch allocate send bind register compile validate acquire merge convert close mount publish serialize verify render commit lock import".split()
STATES = ["invalid", "not found", "not initialized", "already closed", "empty", "not supported", "out of range", "read-only", "a string", "a positive integer", "required", "not available", "too large", "expired", "locked", "deprecated", "disabled", "corrupted", "non-empty", "greater than zero"]
LANGUAGES = [("Python", 34), ("TypeScript", 18), ("Go", 13), ("JavaScript", 10), ("Java", 9), ("Rust", 7), ("C++", 4), ("C#", 3), ("PHP", 2)]
EXTENSIONS = {"Python": "py", "TypeScript": "ts", "Go": "go", "JavaScript": "js", "Java": "java", "Rust": "rs", "C++": "cc", "C#": "cs", "PHP": "php"}
CLASSES = {
    "Python": ["ValueError", "TypeError", "RuntimeError", "KeyError", "NotImplementedError", "OSError", "AssertionError", "ImportError", "HTTPException", "AttributeError"],
    "TypeScript": ["Error", "TypeError", "RangeError", "SyntaxError", "HttpError", "ValidationError", "AxiosError"],
    "Go": ["error", "fmt.Errorf", "errors.New", "StatusError"],
    "Java": ["IllegalArgumentException", "IllegalStateException", "IOException", "NullPointerException", "UnsupportedOperationException", "RuntimeException"],
    "Rust": ["Error", "io::Error", "anyhow::Error", "ParseError", "panic"],
    "C++": ["std::runtime_error", "std::invalid_argument", "std::out_of_range", "absl::Status"],
    "C#": ["ArgumentException", "InvalidOperationException", "ArgumentNullException", "NotSupportedException"],
    "PHP": ["InvalidArgumentException", "RuntimeException", "LogicException"],
}
CLASSES["JavaScript"] = CLASSES["TypeScript"]
ERRNO = [("ENOENT", "no such file or directory"), ("EACCES", "permission denied"), ("EADDRINUSE", "address already in use"), ("ECONNREFUSED", "connection refused"), ("ECONNRESET", "connection reset by peer"),
         ("EPERM", "operation not permitted"), ("EEXIST", "file already exists"), ("EMFILE", "too many open files"), ("ENOTDIR", "not a directory"), ("EISDIR", "is a directory"), ("ETIMEDOUT", "operation timed out"),
         ("EPIPE", "broken pipe"), ("ENOSPC", "no space left on device"), ("EBUSY", "resource busy or locked"), ("EINVAL", "invalid argument"), ("ENOMEM", "cannot allocate memory"), ("EHOSTUNREACH", "no route to host"), ("ENOTFOUND", "getaddrinfo failed")]
PLACEHOLDER_STYLE = {"Python": "{%s}", "TypeScript": "${%s}", "JavaScript": "${%s}", "Java": "{%s}", "C#": "{%s}", "Rust": "{%s}"}
TYPES = [("exception", 46), ("validation", 16), ("http", 8), ("io", 6), ("network", 5), ("config", 5), ("assertion", 4), ("auth", 3), ("panic", 3), ("database", 2), ("timeout", 2)]
SEVERITIES = [("error", 74), ("warning", 12), ("critical", 9), ("info", 5)]
STRATEGIES = [("validation", 36), ("try-catch", 30), ("retry", 11), ("fallback", 9), ("type-guard", 8), ("fail-fast", 6)]
HTTP_STATUSES = [400, 401, 403, 404, 409, 413, 422, 429, 500, 502, 503, 504]
TAG_WORDS = """validation timeout configuration network authentication authorization http parsing json yaml database sql file-system permissions async
concurrency memory type-error null-check serialization encoding tls certificate docker kubernetes cli plugin cache queue websocket grpc graphql api
schema migration tensor cuda model dataset shape-mismatch dtype index-out-of-range dependency import version streaming upload download session cookie
token oauth rate-limit retry regex date-time path argument-error state-machine initialization shutdown resource-leak socket dns proxy compiler""".split()
CONDITIONS = "missing invalid timeout mismatch conflict overflow not-found denied expired unsupported uninitialized malformed exhausted duplicate unreachable stale".split()
SYLLABLES = "ba be bo ca ce co da de di do fa fe fi ga go ha he ka ke ki la le li lo ma me mi mo na ne no pa pe po ra re ri ro sa se si so ta te ti to va ve vi wa xi yo za ze zo tron plex sync node flow graph core hub kit lab net ops".split()
STOPWORDS = set("must should cannot could would with from that this have been when than then only into were does using given expected invalid unable failed error found value being after before which there their these because".split())

SENTENCES = {
    "documentation": ["<C> is raised by <f>() when the <N> does not satisfy the <N> check.", "This error means that the <N> passed to <f> is <S> at the time the <N> is processed.", "The code in <p> validates the <N> before using it and throws <C> as soon as the check fails.",
                      "It signals that <f> could not <V> the <N>, so the operation is aborted before any <N> is modified.", "The library throws this because the <N> is <S> and there is no sensible default for <N>.", "Internally <f>() compares the <N> with the expected <N> and rejects anything that is <S>."],
    "triggerScenarios": ["Calling <f>() with a <N> that is <S>.", "Passing a <N> whose <N> was never registered, e.g. <f>(<n>=None).", "The <N> is removed between the lookup and the call to <f>.", "A request with <n> set while the <N> is <S>.", "Invoking <f> twice on the same <N> without resetting the <N>."],
    "commonSituations": ["Upgrading to a version in which the <N> became mandatory.", "Typos in the <N> name in the configuration file; copied examples that omit the <N>.", "Running in a container where the <N> is <S>.", "Mixing <N> from different environments, or a stale cache of the <N>.", "Concurrency: two workers <V> the same <N> at once."],
    "solutions": ["Check that the <N> is not <S> before calling <f>()", "Set <n> explicitly in the configuration and restart the <N>", "Upgrade the package that provides the <N> and retry", "Log the <N> and compare it with the expected <N>", "<V> the <N> once at startup instead of per request", "Verify the permissions of the <N> used by <f>", "Increase the <N> limit or reduce the size of the <N>"],
    "preventionTips": ["Validate the <N> at the boundary", "Add a test with a <N> that is <S>", "Pin the version of the <N>", "Alert on <N> growth", "Prefer typed <N> over raw strings", "Keep the <N> and the <N> in one transaction"],
}

CODE_LINES = {
    "js": ["  const <a> = await this.<b>.<v>(<c>);", "  if (!<a>) {", "    return <b>.<v>(<a>, { <c>: true });", "  }", "  const { <a>, <b> } = options;", "  for (const <a> of <b>) {", "    <a>.push(<c>);", "  // <V> the <N> before the <N> is used", "  this.<a> = <b> ?? <c>;", "", "  try {", "    await <v>(<a>, <b>);", "  } catch (err) {", "    logger.warn('<a>', err);", "export async function <v><B>(<a>: <B>, <c>: string) {"],
    "go": ["\t<a>, err := <b>.<B>(ctx, <c>)", "\tif err != nil {", "\t\treturn nil, err", "\t}", "\tfor _, <a> := range <b> {", "\t\t<c> = append(<c>, <a>)", "\t// <B> holds the <N> until it is <S>", "\tdefer <a>.Close()", "\tif <a> == nil || len(<b>) == 0 {", "", "\tlog.Debugf(\"<a> %s\", <b>)", "\t<a>.mu.Lock()", "\tdefer <a>.mu.Unlock()", "func (<c> *<B>) <V><B>(ctx context.Context, <a> string) (*<B>, error) {"],
    "java": ["        <B> <a> = this.<b>.<v><B>(<c>);", "        if (<a> == null) {", "            return Optional.empty();", "        }", "        for (<B> <a> : <b>) {", "            <c>.add(<a>);", "        // <V> the <N> unless it is <S>", "        Assert.notNull(<a>, \"<b>\");", "        logger.debug(\"<a> {}\", <b>);", "", "        try (InputStream <a> = <b>.open()) {", "    @Override", "    public <B> <v><B>(String <a>, int <b>) throws IOException {"],
    "rust": ["        let <a> = self.<b>.<v>(&<c>)?;", "        if <a>.is_empty() {", "            return Ok(None);", "        }", "        for <a> in <b>.iter() {", "            <c>.push(<a>.clone());", "        // <V> the <N>; <N> is <S>", "        match <a> {", "            Some(<b>) => <b>.<v>(),", "            None => {}", "", "        debug!(\"<a>: {:?}\", <b>);", "    pub fn <v>_<b>(&mut self, <a>: &str) -> Result<<B>> {"],
}
CODE_STYLE = {"TypeScript": "js", "JavaScript": "js", "PHP": "js", "Go": "go", "Java": "java", "C#": "java", "C++": "java", "Rust": "rust"}
RAISE_LINE = {"js": "    throw new %s(%s);", "go": "\t\treturn nil, fmt.Errorf(%s)", "java": "            throw new %s(%s);", "rust": "            return Err(%s::new(%s));"}

# fmt: on
# --------------------------------------------------------------------------------------------
# Harvesting real raise sites
# --------------------------------------------------------------------------------------------


@dataclasses.dataclass(slots=True)
class RaiseSite:
    """One real ``raise Class("template")`` and the code around it."""

    cls: str
    message: str  # template; placeholders as {name} (f-string, .format) or %s (%-format)
    path: str
    line: int
    function: str
    before: list[str]
    indent: str
    after: list[str]


@dataclasses.dataclass(slots=True)
class Corpus:
    """All the raw material: templates, sentences, and words ordered by falling frequency."""

    sites: list[RaiseSite]
    sentences: list[str]
    words: list[str]  # realistic nouns, for Zipf sampling
    families: list[str]


def placeholder_name(node: ast.expr) -> str:
    """A short identifier for an interpolated expression: ``self.req.id`` becomes ``id``."""
    while not isinstance(node, ast.Name):
        if isinstance(node, ast.Attribute):
            return node.attr
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.args:
            node = node.args[0]
        elif isinstance(node, ast.Call):
            node = node.func
        elif isinstance(node, ast.Subscript):
            node = node.value
        else:
            return "value"
    return node.id


def template_of(node: ast.expr) -> str | None:
    """The message template of an exception argument, or None when it is not a literal."""
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        return node.value
    if isinstance(node, ast.JoinedStr):
        parts = [
            part.value if isinstance(part, ast.Constant) else "{" + placeholder_name(part.value) + "}"
            for part in node.values
        ]
        return "".join(map(str, parts))
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Mod):
        return template_of(node.left)
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add):
        left, right = template_of(node.left), template_of(node.right)
        if left is None and right is None:
            return None
        return (left or "{" + placeholder_name(node.left) + "}") + (right or "{" + placeholder_name(node.right) + "}")
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "format":
        return template_of(node.func.value)
    if (
        isinstance(node, ast.Call)
        and isinstance(node.func, ast.Name)
        and node.func.id in ("_", "gettext")
        and node.args
    ):
        return template_of(node.args[0])
    return None


def harvest_file(path: str) -> tuple[list[RaiseSite], list[str]]:
    """The raise sites and docstring sentences of one Python file."""
    try:
        raw = pathlib.Path(path).read_bytes()
        if b"raise " not in raw or len(raw) > 600_000:
            return [], []
        source = raw.decode("utf-8")
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            tree = ast.parse(source)
    except (OSError, UnicodeDecodeError, SyntaxError, ValueError, RecursionError):
        return [], []
    lines = source.splitlines()
    sites: list[RaiseSite] = []
    sentences: list[str] = []

    def visit(node: ast.AST, function: str) -> None:
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            if not isinstance(node, ast.ClassDef):
                function = node.name
            doc = ast.get_docstring(node)
            if doc:
                first = " ".join(doc.split("\n\n")[0].split())
                if 30 <= len(first) <= 240 and first.isascii() and "{" not in first:
                    sentences.append(first)
        elif isinstance(node, ast.Raise) and isinstance(node.exc, ast.Call) and node.exc.args:
            target = node.exc.func
            cls = (
                target.attr
                if isinstance(target, ast.Attribute)
                else target.id
                if isinstance(target, ast.Name)
                else None
            )
            message = next((text for arg in node.exc.args[:2] if (text := template_of(arg))), None)
            if cls and message and 3 <= len(message.strip()) <= MAX_MESSAGE and " ".join(message.split()).isprintable():
                start, end = node.lineno - 1, node.end_lineno or node.lineno
                raise_line = lines[start]
                sites.append(
                    RaiseSite(
                        cls,
                        message.strip(),
                        path,
                        node.lineno,
                        function,
                        lines[max(0, start - SNIPPET_BEFORE) : start],
                        raise_line[: len(raise_line) - len(raise_line.lstrip())],
                        lines[end : end + SNIPPET_AFTER],
                    )
                )
        for child in ast.iter_child_nodes(node):
            visit(child, function)

    with contextlib.suppress(RecursionError):
        visit(tree, "<module>")
    return sites, sentences[:40]


def python_files(roots: Iterable[str], limit: int) -> list[str]:
    """At most ``limit`` .py files under the roots, sorted and evenly spread."""
    found = sorted(
        {
            str(path)
            for root in roots
            for path in ([pathlib.Path(root)] if pathlib.Path(root).is_file() else pathlib.Path(root).rglob("*.py"))
        }
    )
    return found if len(found) <= limit else [found[i * len(found) // limit] for i in range(limit)]


def build_corpus(roots: list[str], limit: int, jobs: int) -> Corpus:
    """Harvest the files and order the vocabulary by frequency."""
    files = python_files(roots, limit)
    sites: list[RaiseSite] = []
    sentences: dict[str, None] = {}
    with multiprocessing.Pool(jobs) as pool:
        for found, text in pool.imap(harvest_file, files, chunksize=32):
            sites.extend(found)
            sentences.update(dict.fromkeys(text))
    if not sites:
        raise SystemExit("no raise sites found under: " + ", ".join(roots))
    counts = collections.Counter(
        word for site in sites for word in re.findall(r"(?<![{%$\w])[a-z]{4,14}(?!\w)", site.message)
    )
    real = [word for word, _ in sorted(counts.items(), key=lambda item: (-item[1], item[0])) if word not in STOPWORDS][
        :12_000
    ]
    rng = random.Random("vocabulary")
    words: list[str] = []
    for position, word in enumerate(real):  # after the most common words, mix in invented identifiers
        words.append(word)
        if position > 150:
            words.append(
                rng.choice([invent(rng), f"{word}_{rng.choice(real[:600])}", rng.choice(real[:800]) + word.title()])
            )
    families = list(
        dict.fromkeys(
            f"{zipf(rng, words[:3000])}-{rng.choice(CONDITIONS)}".replace("_", "-").lower()
            if rng.random() < 0.6
            else f"{zipf(rng, words[:2000])}-{zipf(rng, words[:2000])}-{rng.choice(CONDITIONS)}".replace(
                "_", "-"
            ).lower()
            for _ in range(FAMILIES * 3)
        )
    )[:FAMILIES]
    return Corpus(sites, list(sentences), words, families)


# --------------------------------------------------------------------------------------------
# Random text
# --------------------------------------------------------------------------------------------


def zipf(rng: random.Random, items: list) -> object:
    """An item with probability about 1/rank (log-uniform rank)."""
    return items[int(math.exp(rng.random() * math.log(len(items)))) - 1 if len(items) > 1 else 0]


def weighted(rng: random.Random, table: list[tuple[str, int]]) -> str:
    return rng.choices([name for name, _ in table], [weight for _, weight in table])[0]


def invent(rng: random.Random) -> str:
    """A made-up word."""
    return "".join(rng.choice(SYLLABLES) for _ in range(rng.choice((2, 2, 3))))


def camel(word: str) -> str:
    return "".join(part[:1].upper() + part[1:] for part in word.split("_"))


def pattern_of(message: str) -> str:
    """The message as an unanchored regular expression: escaped, each placeholder as (.+?)."""
    parts, last = [], 0
    for match in PLACEHOLDER.finditer(message):
        parts += [REGEX_SPECIAL.sub(r"\\\g<0>", message[last : match.start()]), "(.+?)"]
        last = match.end()
    return "".join(parts) + REGEX_SPECIAL.sub(r"\\\g<0>", message[last:])


def fill_slots(rng: random.Random, text: str, slots: dict[str, object]) -> str:
    """Replace <x> markers: <N> noun, <n> identifier, <V> verb, <S> state, plus those in ``slots``."""

    def value(match: re.Match) -> str:
        got = slots.get(match[1])
        if got is None:
            return match[0]
        return zipf(rng, got) if isinstance(got, list) else got

    return re.sub(r"<([A-Za-z])>", value, text)


class RepoWriter:
    """Makes the records of one repository, one after the other, from a private random generator."""

    def __init__(self, corpus: Corpus, name: str, language: str, sha: str, seed: str, size: int):
        self.corpus, self.name, self.language, self.sha = corpus, name, language, sha
        self.rng = rng = random.Random(seed)
        offset = rng.randrange(len(corpus.words) // 2)  # each repository has favourite words of its own
        own = corpus.words[offset : offset + 400]
        self.nouns = [word for pair in zip(own, corpus.words, strict=False) for word in pair]
        self.modules = [zipf(rng, corpus.words).lower() for _ in range(max(4, size // 30))]
        top = rng.choice(
            [
                "src",
                "lib",
                "pkg",
                "internal",
                "core",
                "packages/" + self.modules[0],
                name.split("/")[1].replace("-", "_"),
            ]
        )
        extension = EXTENSIONS[language]
        self.files = list(
            dict.fromkeys(
                "/".join(
                    [
                        top,
                        *[rng.choice(self.modules) for _ in range(rng.choice((0, 1, 1, 2, 3)))],
                        f"{zipf(rng, corpus.words)}.{extension}",
                    ]
                )
                for _ in range(max(3, size // 5))
            )
        )
        self.classes = CLASSES[language] + [
            camel(rng.choice(self.nouns)) + rng.choice(("Error", "Error", "Exception"))
            for _ in range(max(3, size // 40))
        ]
        self.messages: list[str] = []
        self.ids: set[str] = set()
        self.slugs: set[str] = set()

    # -- messages ----------------------------------------------------------------------------

    def restyle(self, message: str) -> str:
        """Write the placeholders of a harvested Python template the way this language does."""
        style = PLACEHOLDER_STYLE.get(self.language)
        if self.language == "Python":
            return message
        rng = self.rng
        return PLACEHOLDER.sub(
            lambda match: (
                style % (re.sub(r"\W", "", match[0]) or "value")
                if style
                else rng.choice(("%s", "%s", "%d", "%v" if self.language == "Go" else "%s"))
            ),
            message,
        )

    def recombine(self, message: str) -> str:
        """Swap some ordinary words of a template for Zipf-distributed nouns."""
        rng = self.rng
        if rng.random() < 0.15:
            return message

        def swap(match: re.Match) -> str:
            if match[0].lower() in STOPWORDS or rng.random() > 0.4:
                return match[0]
            word = zipf(rng, self.nouns)
            return camel(word) if match[0][0].isupper() else word

        return re.sub(r"(?<![{%$\w\\])[A-Za-z][a-z]{3,13}(?![\w}(])", swap, message)

    def noun_phrase(self) -> str:
        rng = self.rng
        return zipf(rng, self.nouns) if rng.random() < 0.6 else f"{zipf(rng, self.nouns)} {zipf(rng, self.nouns)}"

    def slots(self) -> dict[str, object]:
        return {"N": self.noun_phrase(), "n": zipf(self.rng, self.nouns), "V": VERBS, "S": STATES}

    def grammar_message(self) -> str:
        return fill_slots(self.rng, self.rng.choice(GRAMMAR[self.language]), {**self.slots(), "N": self.nouns})

    def harvested_message(self) -> tuple[str, RaiseSite]:
        site = self.rng.choice(self.corpus.sites)
        return self.restyle(self.recombine(site.message)), site

    def extended(self, message: str) -> str:
        """Half of the longer real messages go on: a detail, an explanation, a hint."""
        rng, roll = self.rng, self.rng.random()
        if roll < 0.55:
            return message
        detail = (
            PLACEHOLDER_STYLE[self.language] % zipf(rng, self.nouns) if self.language in PLACEHOLDER_STYLE else "%s"
        )
        if roll < 0.72:
            return message + rng.choice(
                (" (got <d>)", " (was <d>)", " for <d>", " [<d>]", " in <d>", ", not <d>")
            ).replace("<d>", detail)
        if roll < 0.78:
            return f"{message}: {detail}"
        if roll < 0.88:
            return message.rstrip(".") + rng.choice((". ", "; ", ", ")) + self.grammar_message()
        return message.rstrip(".") + ". " + rng.choice(self.corpus.sentences)

    def message(self) -> tuple[str | None, str, RaiseSite | None]:
        """(errorCode, errorMessage, the raise site it came from if any)."""
        rng, roll = self.rng, self.rng.random()
        if self.messages and roll < 0.125:  # same pattern again, elsewhere in the repository
            return None, rng.choice(self.messages), None
        if roll < 0.155:
            return None, zipf(rng, NEAR_UNIVERSAL), None
        if roll < 0.215:
            message = zipf(rng, COMMON_MESSAGES)
            return None, message.capitalize() if rng.random() < 0.3 else message, None
        if roll < 0.365:
            return self.coded_message()
        if roll < 0.374:
            return None, self.recombine(rng.choice(UNICODE_MESSAGES)), None
        if roll < 0.384:
            return None, self.odd_message(), None
        if roll < (0.55 if self.language == "Python" else 0.75):
            return None, self.extended(self.grammar_message()), None
        message, site = self.harvested_message()
        return None, self.extended(message), site

    def coded_message(self) -> tuple[str, str, None]:
        rng = self.rng
        roll = rng.random()
        if roll < 0.25:
            code, text = zipf(rng, ERRNO)
            tail = {"Python": "[Errno {errno}] %s: '{path}'", "Go": "%%s %%s: %s"}.get(
                self.language, f"{code}: %s, {rng.choice(VERBS)} '${{path}}'"
            )
            return code, tail % text, None
        if roll < 0.6:
            code = "_".join(
                [
                    "ERR",
                    *(camel(zipf(rng, self.nouns)).upper() for _ in range(rng.choice((1, 2, 2)))),
                    rng.choice(CONDITIONS).upper().replace("-", "_"),
                ]
            )
        elif roll < 0.8:
            code = camel(zipf(rng, self.nouns))[:3].upper().ljust(3, "X") + str(rng.randrange(1000, 9999))
        else:
            code = str(rng.choice(HTTP_STATUSES))
        return code, self.extended(self.grammar_message() if rng.random() < 0.6 else self.harvested_message()[0]), None

    def odd_message(self) -> str:
        """Long, multi-line, quoted or backslashed messages."""
        rng = self.rng
        message = self.harvested_message()[0]
        kind = rng.randrange(4)
        if kind == 0:
            return message + "\n" + "\n".join(f"  - {self.grammar_message()}" for _ in range(rng.randint(1, 4)))
        if kind == 1:
            return f"\"{message}\" in C:\\Users\\{zipf(rng, self.nouns)}\\{zipf(rng, self.nouns)} (see '{zipf(rng, self.nouns)}')"
        if kind == 2:
            return message + "\t" + r"\d+\.\w* " + self.grammar_message()
        target = rng.choice((250, 400, 900, 1950))
        while len(message) < target:
            message += " " + rng.choice(self.corpus.sentences)
        return message[:MAX_MESSAGE]

    # -- records -----------------------------------------------------------------------------

    def unique_slug(self, message: str, record_id: str) -> str:
        base = SLUG_JUNK.sub("-", PLACEHOLDER.sub(" ", message).lower())[:72].strip("-") or f"error-{record_id[:8]}"
        slug, number = base, 2
        while slug in self.slugs:
            slug, number = f"{base}-{number}", number + 1
        self.slugs.add(slug)
        return slug

    def prose(self, field: str, slots: dict[str, object], count: int, real: int = 0) -> list[str]:
        rng = self.rng
        skeletons = SENTENCES[field]
        chosen = rng.sample(skeletons, min(count, len(skeletons)))
        text = [fill_slots(rng, sentence, slots) for sentence in chosen]
        text += [rng.choice(self.corpus.sentences) for _ in range(real)]
        return [sentence[:1].upper() + sentence[1:] for sentence in text]

    def snippet(self, site: RaiseSite | None, cls: str, message: str, function: str) -> tuple[list[str], int]:
        """Source lines and the position in them of the raise statement."""
        rng = self.rng
        literal = json.dumps(message, ensure_ascii=False)
        if self.language == "Python":
            site = site or rng.choice(self.corpus.sites)
            before = (
                [line.replace(site.function, function) for line in site.before]
                if site.function != "<module>"
                else site.before
            )
            return [*before, f"{site.indent}raise {cls}({'f' if '{' in literal else ''}{literal})", *site.after], len(
                before
            )
        style = CODE_STYLE[self.language]
        slots = {
            "a": zipf(rng, self.nouns),
            "b": zipf(rng, self.nouns),
            "c": rng.choice(self.nouns),
            "v": VERBS,
            "V": VERBS,
            "N": self.nouns,
            "S": STATES,
            "B": camel(rng.choice(self.nouns)),
        }
        lines = [fill_slots(rng, rng.choice(CODE_LINES[style]), slots) for _ in range(36)]
        raise_line = RAISE_LINE[style] % (literal if style == "go" else (cls, literal))
        lines.insert(SNIPPET_BEFORE, raise_line)
        return lines, SNIPPET_BEFORE

    def record(self) -> dict:
        rng = self.rng
        while True:
            code, message, site = self.message()
            path = zipf(rng, self.files) if rng.random() < 0.5 else rng.choice(self.files)
            record_id = hashlib.sha256((self.name + (code or message) + path).encode()).hexdigest()[:16]
            if record_id not in self.ids:
                break
            if rng.random() < 0.2:  # a crowded small repository needs more files
                self.files.append(f"{path.rpartition('.')[0]}_{len(self.files)}.{EXTENSIONS[self.language]}")
        self.ids.add(record_id)
        self.messages.append(message)
        cls = site.cls if site and self.language == "Python" and rng.random() < 0.7 else zipf(rng, self.classes)
        function = f"{rng.choice(VERBS)}_{zipf(rng, self.nouns)}"
        source, position = self.snippet(site, cls, message, function)
        line = position + 1 + int(rng.paretovariate(0.7) * 20) % 4000
        start = line - position
        slots = {**self.slots(), "N": self.nouns, "C": cls, "f": function, "p": path}
        kind = weighted(rng, TYPES)
        strategy = weighted(rng, STRATEGIES)
        slug = self.unique_slug(message, record_id)
        lead = (
            f"The message {json.dumps(message[:120], ensure_ascii=False)} comes from {path}. "
            if rng.random() < 0.3
            else ""
        )
        noun = zipf(rng, self.nouns)
        tags = list(
            dict.fromkeys(
                [
                    *(zipf(rng, TAG_WORDS) for _ in range(rng.choice((3, 3, 4)))),
                    noun.lower().replace("_", "-"),
                    rng.choice(TAG_WORDS),
                    rng.choice(TAG_WORDS),
                ]
            )
        )[: rng.choice((3, 4, 4, 5))]
        return {
            "id": record_id,
            "repo": self.name,
            "slug": slug,
            "errorCode": code,
            "errorMessage": message,
            "messagePattern": pattern_of(message),
            "errorType": kind,
            "errorClass": cls,
            "httpStatus": rng.choice(HTTP_STATUSES) if kind == "http" else None,
            "severity": weighted(rng, SEVERITIES),
            "filePath": path,
            "lineNumber": line,
            "sourceCode": "\n".join(source),
            "sourceCodeStart": start,
            "sourceCodeEnd": start + len(source) - 1,
            "githubUrl": f"https://github.com/{self.name}/blob/{self.sha}/{path}#L{start}-L{start + len(source) - 1}",
            "documentation": lead + " ".join(self.prose("documentation", slots, 3, 2)),
            "triggerScenarios": " ".join(self.prose("triggerScenarios", slots, 3, rng.randrange(2))),
            "commonSituations": " ".join(self.prose("commonSituations", slots, 4, rng.randrange(2))),
            "solutions": self.prose("solutions", slots, rng.randint(3, 5)),
            "exampleFix": f"# before\n{function}({noun}=None)\n\n# after\n{noun} = load_{noun}({zipf(rng, self.nouns)})\nif {noun} is not None and {noun}.{zipf(rng, self.nouns)}:\n    {function}({noun}={noun}, {zipf(rng, self.nouns)}={rng.randrange(100)})"
            if rng.random() < 0.55
            else None,
            "handlingStrategy": strategy,
            "validationCode": f"if not {noun}:\n    raise {cls}({json.dumps(message[:80], ensure_ascii=False)})\nassert is_ready({zipf(rng, self.nouns)})"
            if rng.random() < 0.7
            else None,
            "typeGuard": f"def is_{noun}(value: object) -> bool:\n    return isinstance(value, {camel(noun)}) and value.{zipf(rng, self.nouns)} is not None"
            if strategy == "type-guard" or rng.random() < 0.25
            else None,
            "tryCatchPattern": f"try:\n    result = {function}({noun}, {zipf(rng, self.nouns)})\nexcept {cls} as exc:\n    logger.warning('cannot {rng.choice(VERBS)} {noun}: %s', exc)\n    result = None"
            if rng.random() < 0.85
            else None,
            "preventionTips": self.prose("preventionTips", slots, rng.randint(2, 4)),
            "tags": tags,
            "backgroundTag": zipf(rng, self.corpus.families) if rng.random() < 0.66 else None,
            "analyzedSha": self.sha,
            "analyzedAt": timestamp(FIRST_VERSION - datetime.timedelta(seconds=rng.randrange(90 * 86400))),
            "schemaVersion": SCHEMA_VERSION,
        }


# --------------------------------------------------------------------------------------------
# Writing datasets
# --------------------------------------------------------------------------------------------


def timestamp(moment: datetime.datetime) -> str:
    return moment.strftime("%Y-%m-%dT%H:%M:%S.") + f"{moment.microsecond // 1000:03d}Z"


def dumps(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def index_entry(record: dict) -> dict:
    return {
        "id": record["id"],
        "repo": record["repo"],
        "slug": record["slug"],
        "code": record["errorCode"],
        "msg": record["errorMessage"],
        "pattern": record["messagePattern"],
        "type": record["errorType"],
        "cls": record["errorClass"],
        "tags": record["tags"],
        "sev": record["severity"],
    }


def repo_sizes(records: int) -> list[int]:
    """Zipf-like sizes that add up to ``records``, the biggest at most BIGGEST_REPO."""
    count = max(
        1, math.ceil(records / 250) if records > FULL_SIZE else round(FULL_REPOS * (records / FULL_SIZE) ** 0.75)
    )
    biggest = min(BIGGEST_REPO, max(1, records if count == 1 else records // 4))
    count = max(count, math.ceil(records / biggest))
    low, high = 0.0, 4.0
    for _ in range(50):  # find the exponent for which the sizes fill up
        exponent = (low + high) / 2
        total = sum(max(1, int(biggest / rank**exponent)) for rank in range(1, count + 1))
        low, high = (exponent, high) if total > records else (low, exponent)
    sizes = [max(1, int(biggest / rank**high)) for rank in range(1, count + 1)]
    short, position = records - sum(sizes), 0
    while short:
        step = 1 if short > 0 else -1
        if 1 <= sizes[position % count] + step <= biggest:
            sizes[position % count] += step
            short -= step
        position += 1
    return sizes


@dataclasses.dataclass(slots=True)
class RepoPlan:
    name: str
    language: str
    sha: str
    size: int
    seed: str


def plan_repos(corpus: Corpus, records: int, seed: str) -> list[RepoPlan]:
    rng = random.Random(f"{seed}:plan")
    plans, names = [], set()
    for size in repo_sizes(records):
        while True:
            words = [zipf(rng, corpus.words).lower().replace("_", "-") for _ in range(2)]
            name = f"{words[0]}{rng.choice(('', '-io', 'labs', 'hq', '-project'))}/{words[1]}{rng.choice(('', '', '-core', '.js', '-' + invent(rng)))}"
            if name not in names:
                break
        names.add(name)
        plans.append(RepoPlan(name, weighted(rng, LANGUAGES), f"{rng.getrandbits(160):040x}", size, f"{seed}:{name}"))
    return plans


_corpus: Corpus  # set in each worker
_out: pathlib.Path


def start_worker(corpus: Corpus, out: str) -> None:
    global _corpus, _out
    _corpus, _out = corpus, pathlib.Path(out)


def repo_entry(plan: RepoPlan, rng: random.Random, size: int) -> dict:
    return {
        "repo": plan.name,
        "description": rng.choice(_corpus.sentences),
        "language": plan.language,
        "stars": int(rng.paretovariate(0.9) * 300),
        "sourceFiles": max(5, size // 3 + rng.randrange(40)),
        "defaultBranch": rng.choice(("main", "main", "master", "develop")),
        "analyzedSha": plan.sha,
        "analyzedAt": timestamp(FIRST_VERSION - datetime.timedelta(seconds=rng.randrange(90 * 86400))),
        "errorCount": size,
    }


def write_repo_file(name: str, lines: Iterable[str]) -> None:
    path = _out / "repos" / f"{name}.json"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("[" + ",\n".join(lines) + "]\n", encoding="utf-8")


def make_repo(task: tuple[RepoPlan, str]) -> tuple[str, str, int, str]:
    """Worker: (repos.json entry, index entries, record count, JSONL lines) of one repository."""
    plan, layout = task
    writer = RepoWriter(_corpus, plan.name, plan.language, plan.sha, plan.seed, plan.size)
    records = [writer.record() for _ in range(plan.size)]
    lines = [dumps(record) for record in records]
    entry = dumps(repo_entry(plan, writer.rng, plan.size))
    if layout == "jsonl":
        return entry, "", plan.size, "\n".join(lines) + "\n"
    write_repo_file(plan.name, lines)
    return entry, ",\n".join(dumps(index_entry(record)) for record in records), plan.size, ""


def file_facts(path: pathlib.Path, **extra: str) -> dict:
    with path.open("rb") as stream:
        return {
            "path": f"/data/{path.name}",
            "bytes": path.stat().st_size,
            "sha256": hashlib.file_digest(stream, "sha256").hexdigest(),
            **extra,
        }


def write_upstream(out: pathlib.Path, version: str, repos: Iterable[tuple[str, str, int, str]]) -> int:
    """Stream index.json.gz and repos.json from per-repository results, then the manifest."""
    errors = count = 0
    index_path, repos_path = out / "index.json.gz", out / "repos.json"
    with (
        index_path.open("wb") as raw,
        gzip.GzipFile("", "wb", 6, raw, mtime=0) as index,
        repos_path.open("w", encoding="utf-8") as listing,
    ):
        index.write(f'{{"schemaVersion":{SCHEMA_VERSION},"datasetVersion":"{version}","errors":['.encode())
        listing.write("[")
        for entry, entries, size, _ in repos:
            listing.write((",\n" if count else "") + entry)
            if entries:
                index.write(((",\n" if errors else "") + entries).encode())
            errors, count = errors + size, count + 1
        index.write(b"]}")
        listing.write("]\n")
    manifest = {
        "schemaVersion": SCHEMA_VERSION,
        "datasetVersion": version,
        "counts": {"repos": count, "errors": errors},
        "files": {"index": file_facts(index_path, encoding="gzip"), "repos": file_facts(repos_path)},
    }
    (out / "manifest.json").write_text(json.dumps(manifest, indent=1) + "\n", encoding="utf-8")
    return errors


def generate(args: argparse.Namespace, corpus: Corpus) -> int:
    tasks = [(plan, args.layout) for plan in plan_repos(corpus, args.records, args.seed)]
    args.out.mkdir(parents=True, exist_ok=True)
    with multiprocessing.Pool(args.jobs, start_worker, (corpus, str(args.out))) as pool:
        results = pool.imap(make_repo, tasks, chunksize=1)
        if args.layout == "upstream":
            return write_upstream(args.out, timestamp(FIRST_VERSION), results)
        with (args.out / "records.jsonl").open("w", encoding="utf-8") as stream:
            for _, _, _, lines in results:
                stream.write(lines)
    return args.records


# --------------------------------------------------------------------------------------------
# The next version of a dataset
# --------------------------------------------------------------------------------------------


def change_record(record: dict, writer: RepoWriter, sha: str) -> None:
    """Alter a record without altering its id."""
    rng = writer.rng
    slots = {
        **writer.slots(),
        "N": writer.nouns,
        "C": record["errorClass"],
        "f": zipf(rng, writer.nouns),
        "p": record["filePath"],
    }
    roll = rng.random()
    if roll < 0.4:
        record["solutions"] = writer.prose("solutions", slots, rng.randint(3, 5))
    elif roll < 0.7:
        record["documentation"] = " ".join(writer.prose("documentation", slots, 2, 1))
    elif roll < 0.85 or not record["errorCode"]:
        shift = rng.randint(1, 40)
        for field in ("lineNumber", "sourceCodeStart", "sourceCodeEnd"):
            record[field] += shift
    else:  # the id of a coded record does not depend on its message
        record["errorMessage"] = writer.grammar_message()
        record["messagePattern"] = pattern_of(record["errorMessage"])
    record["analyzedSha"] = sha
    record["githubUrl"] = (
        f"https://github.com/{record['repo']}/blob/{sha}/{record['filePath']}#L{record['sourceCodeStart']}-L{record['sourceCodeEnd']}"
    )


def mutate_repo(task: tuple[dict, str, str, float, float, float]) -> tuple[str, str, int, str]:
    """Worker: the next version of one repository (as ``make_repo``, but last the ids it changed, as JSON)."""
    entry, source, seed, change, remove, add = task
    name = entry["repo"]
    path = pathlib.Path(source) / "repos" / f"{name}.json"
    records = json.loads(path.read_text(encoding="utf-8"))
    rng = random.Random(f"{seed}:{name}")
    sha = f"{rng.getrandbits(160):040x}"
    writer = RepoWriter(_corpus, name, entry["language"], sha, f"{seed}:new:{name}", len(records))
    writer.ids = {record["id"] for record in records}
    writer.slugs = {record["slug"] for record in records}
    writer.messages = [record["errorMessage"] for record in records]
    kept, changes = [], {"changed": [], "removed": [], "added": []}
    for record in records:
        roll = rng.random()
        if roll < remove:
            changes["removed"].append(record["id"])
            continue
        if roll < remove + change:
            change_record(record, writer, sha)
            changes["changed"].append(record["id"])
        kept.append(record)
    fresh = [writer.record() for _ in range(int(len(records) * add + rng.random()))]
    changes["added"] = [record["id"] for record in fresh]
    kept += fresh
    if any(changes.values()):
        write_repo_file(name, map(dumps, kept))
        entry = {**entry, "analyzedSha": sha, "errorCount": len(kept)}
    else:
        target = _out / "repos" / f"{name}.json"
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(path, target)
    return dumps(entry), ",\n".join(dumps(index_entry(record)) for record in kept), len(kept), json.dumps(changes)


def tally(results: Iterable[tuple[str, str, int, str]], changes: dict[str, list[str]]) -> Iterator[tuple[str, str, int, str]]:
    """Pass ``mutate_repo`` results on while collecting the ids that each repository changed."""
    for result in results:
        for kind, ids in json.loads(result[3]).items():
            changes[kind].extend(ids)
        yield result


def mutate(args: argparse.Namespace, corpus: Corpus) -> int:
    if args.mutate.resolve() == args.out.resolve():
        raise SystemExit("--out must differ from --mutate")
    old = json.loads((args.mutate / "manifest.json").read_text())
    version = timestamp(datetime.datetime.fromisoformat(old["datasetVersion"]) + datetime.timedelta(days=1))
    entries = json.loads((args.mutate / "repos.json").read_text(encoding="utf-8"))
    args.out.mkdir(parents=True, exist_ok=True)
    tasks = [
        (entry, str(args.mutate), f"{args.seed}:{version}", args.change, args.remove, args.add) for entry in entries
    ]
    changes: dict[str, list[str]] = {"changed": [], "removed": [], "added": []}
    with multiprocessing.Pool(args.jobs, start_worker, (corpus, str(args.out))) as pool:
        errors = write_upstream(args.out, version, tally(pool.imap(mutate_repo, tasks, chunksize=1), changes))
    (args.out / "changes.json").write_text(json.dumps({kind: sorted(ids) for kind, ids in changes.items()}) + "\n")
    return errors


# --------------------------------------------------------------------------------------------
# Test inputs
# --------------------------------------------------------------------------------------------


def plausible_value(rng: random.Random) -> str:
    kind = rng.randrange(11)
    if kind < 3:
        return str(rng.choice((0, 1, rng.randrange(100), rng.randrange(65536), -1)))
    return [
        "",
        "",
        "",
        "/" + "/".join(invent(rng) for _ in range(rng.randint(2, 5))) + rng.choice((".py", ".json", ".log", "")),
        f"{rng.getrandbits(32):08x}-{rng.getrandbits(16):04x}-4{rng.getrandbits(12):03x}-a{rng.getrandbits(12):03x}-{rng.getrandbits(48):012x}",
        f"'{invent(rng)}'",
        f'"{invent(rng)}"',
        invent(rng),
        f"<{invent(rng).title()} object at 0x{rng.getrandbits(48):012x}>",
        f"10.{rng.randrange(256)}.{rng.randrange(256)}.{rng.randrange(256)}:{rng.randrange(1024, 65536)}",
        f"{invent(rng)}={rng.random():.3f}",
    ][kind]


def instantiate(rng: random.Random, message: str) -> str:
    return PLACEHOLDER.sub(lambda _: plausible_value(rng), message)


def moment(rng: random.Random) -> datetime.datetime:
    return FIRST_VERSION + datetime.timedelta(seconds=rng.randrange(10**7), milliseconds=rng.randrange(1000))


def log_line(rng: random.Random, message: str) -> str:
    when, module = moment(rng), ".".join(invent(rng) for _ in range(rng.randint(1, 3)))
    level = rng.choice(("ERROR", "ERROR", "WARN", "CRITICAL", "error"))
    return rng.choice(
        [
            f"{timestamp(when)} {level} [{module}] {message}",
            f"{when:%Y-%m-%d %H:%M:%S},{when.microsecond // 1000:03d} - {module} - {level} - {message}",
            f"[{when:%d/%b/%Y %H:%M:%S}] {level} {module}:{rng.randrange(900)} {message}",
            f'time="{timestamp(when)}" level={level.lower()} msg="{message}" component={module}',
            f"{when:%b %d %H:%M:%S} host-{rng.randrange(99)} {module}[{rng.randrange(9999)}]: {level}: {message}",
        ]
    )


def trace(rng: random.Random, language: str, cls: str, message: str, path: str, line: int) -> str:
    """A stack trace of 10 to 60 lines; its innermost frame is path:line."""
    frames = [
        (
            "/".join(["/srv", "app", invent(rng), invent(rng)]) + "." + EXTENSIONS[language],
            rng.randrange(1, 2000),
            f"{rng.choice(VERBS)}_{invent(rng)}",
        )
        for _ in range(rng.randint(5, 27))
    ]
    frames.append((f"/usr/lib/{path}" if rng.random() < 0.5 else path, line, f"{rng.choice(VERBS)}_{invent(rng)}"))
    if language in ("TypeScript", "JavaScript", "Rust", "C++", "PHP"):
        lines = [
            f"    at {camel(name)} ({file}:{number}:{rng.randrange(1, 80)})" for file, number, name in reversed(frames)
        ]
        return f"{cls}: {message}\n" + "\n".join(lines)
    if language in ("Java", "C#"):
        lines = [
            f"\tat com.{invent(rng)}.{invent(rng)}.{camel(name)}({file.rsplit('/')[-1]}:{number})"
            for file, number, name in reversed(frames)
        ]
        return (
            f'Exception in thread "main" {cls}: {message}\n'
            + "\n".join(lines)
            + f"\nCaused by: java.io.IOException: {invent(rng)}\n\t... {rng.randrange(9, 40)} more"
        )
    if language == "Go":
        lines = [
            f"main.{camel(name)}(0x{rng.getrandbits(40):x})\n\t{file}:{number} +0x{rng.getrandbits(12):x}"
            for file, number, name in reversed(frames)
        ]
        return f"panic: {message}\n\ngoroutine {rng.randrange(1, 900)} [running]:\n" + "\n".join(lines)
    lines = [
        f'  File "{file}", line {number}, in {name}\n    {invent(rng)} = self.{rng.choice(VERBS)}({invent(rng)})'
        for file, number, name in frames
    ]
    return "Traceback (most recent call last):\n" + "\n".join(lines) + f"\n{cls}: {message}"


def records_at(out: pathlib.Path, wanted: int, rng: random.Random) -> Iterator[dict]:
    """``wanted`` random records of a dataset, reading only the files that hold them."""
    jsonl = out / "records.jsonl"
    if jsonl.exists():
        with jsonl.open("rb") as stream:
            total = sum(1 for _ in stream)
        picks = collections.Counter(rng.randrange(total) for _ in range(wanted))
        with jsonl.open(encoding="utf-8", newline="\n") as stream:
            for number, line in enumerate(stream):
                for _ in range(picks[number]):
                    yield json.loads(line)
        return
    entries = json.loads((out / "repos.json").read_text(encoding="utf-8"))
    entries = [entry for entry in entries if entry["errorCount"]]
    picks = collections.Counter(rng.choices(range(len(entries)), [entry["errorCount"] for entry in entries], k=wanted))
    for position in sorted(picks):
        records = json.loads((out / "repos" / f"{entries[position]['repo']}.json").read_text(encoding="utf-8"))
        yield from (rng.choice(records) for _ in range(picks[position]))


def language_of(path: str) -> str:
    return next((language for language, extension in EXTENSIONS.items() if path.endswith("." + extension)), "Python")


def queries(args: argparse.Namespace) -> Iterator[dict]:
    rng = random.Random(f"{args.seed}:queries")
    for record in records_at(args.out, args.queries, rng):
        record_id, cls, path, line = record["id"], record["errorClass"], record["filePath"], record["lineNumber"]
        message = instantiate(rng, record["errorMessage"])
        if rng.random() < 0.1:
            record_id, cls, message = (
                None,
                invent(rng).title() + "Fault",
                " ".join(invent(rng) for _ in range(rng.randint(3, 9))) + f" {plausible_value(rng)}",
            )
        if record_id is None or rng.random() < 0.3:  # frames that say nothing about the record
            path, line = f"{invent(rng)}/{invent(rng)}.{path.rpartition('.')[2]}", rng.randrange(1, 3000)
        kind = rng.choice(("bare", "log", "traceback"))
        text = message
        if kind == "log":
            text = log_line(rng, message)
        elif kind == "traceback":
            text = trace(rng, language_of(path), cls, message, path, line)
        yield {"text": text, "id": record_id, "kind": kind}


# --------------------------------------------------------------------------------------------


def parse_args(argv: list[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--records", type=int, help="how many records to generate")
    parser.add_argument(
        "--out",
        type=pathlib.Path,
        required=True,
        metavar="DIR",
        help="dataset directory to write (or to read, with --queries alone)",
    )
    parser.add_argument("--layout", choices=("upstream", "jsonl"), default="upstream")
    parser.add_argument("--seed", default="1")
    parser.add_argument(
        "--harvest",
        nargs="+",
        metavar="PATH",
        help="Python files or folders to learn from (default: stdlib and site-packages)",
    )
    parser.add_argument(
        "--harvest-files", type=int, default=6000, help="parse at most this many files (default %(default)s)"
    )
    parser.add_argument(
        "--jobs", type=int, default=2, help="worker processes (default %(default)s); no influence on the output"
    )
    parser.add_argument(
        "--mutate",
        type=pathlib.Path,
        metavar="OLD_DIR",
        help="write the next version of this dataset (upstream layout) to --out",
    )
    parser.add_argument(
        "--change", type=float, default=0.01, help="fraction of records to change (default %(default)s)"
    )
    parser.add_argument(
        "--remove", type=float, default=0.003, help="fraction of records to remove (default %(default)s)"
    )
    parser.add_argument("--add", type=float, default=0.005, help="fraction of records to add (default %(default)s)")
    parser.add_argument("--queries", type=int, help="how many test inputs to make from the dataset in --out")
    parser.add_argument("--out-queries", type=pathlib.Path, metavar="FILE")
    args = parser.parse_args(argv)
    if (args.queries is None) != (args.out_queries is None):
        parser.error("--queries and --out-queries go together")
    if args.records is not None and args.mutate is not None:
        parser.error("--records and --mutate exclude each other")
    if args.records is None and args.mutate is None and args.queries is None:
        parser.error("nothing to do: give --records, --mutate or --queries")
    if args.records is not None and args.records < 1:
        parser.error("--records must be at least 1")
    return args


def main(argv: list[str] | None = None) -> int:
    args = parse_args(argv)
    if args.records is not None or args.mutate is not None:
        roots = args.harvest or [sysconfig.get_path("stdlib"), sysconfig.get_path("purelib")]
        corpus = build_corpus(roots, args.harvest_files, args.jobs)
        print(
            f"harvested {len(corpus.sites)} raise sites, {len(corpus.sentences)} sentences, {len(corpus.words)} words",
            file=sys.stderr,
        )
        total = mutate(args, corpus) if args.mutate else generate(args, corpus)
        print(f"wrote {total} records to {args.out}", file=sys.stderr)
    if args.queries is not None:
        with args.out_queries.open("w", encoding="utf-8") as stream:
            for query in queries(args):
                stream.write(dumps(query) + "\n")
        print(f"wrote {args.queries} queries to {args.out_queries}", file=sys.stderr)
    return 0


if __name__ == "__main__":
    sys.exit(main())

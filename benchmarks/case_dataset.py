#!/usr/bin/env python3
"""Build the record set on which the cases in ``fixtures/cases/`` are judged.

The records are read from the source of about 60 popular Python libraries: every place that raises an
exception with a message, every exception class that carries its message as an attribute, every message
constant and every logged error becomes one record in the err-lookup format (schema version 2).

    python case_dataset.py --out FILE.jsonl [--cache DIR]

pip downloads the wheels named in ``PACKAGES`` (about 600 MB) into the cache and nothing is installed: the
source is read from the wheels and parsed, never run. Wheels that the cache already holds are not
downloaded again. The standard library suffices.

The output, one record a line, depends only on the table and on the version of Python, which shapes how
an expression inside a message is written: Python 3.11 is the reference, for which ``fixtures/cases/README.md``
gives the number of records and the checksum. ``analyzedSha``, and the commit in ``githubUrl``, are derived
from repository and version and are not real commits.
"""

from __future__ import annotations

import argparse
import ast
import collections
import concurrent.futures
import contextlib
import dataclasses
import hashlib
import inspect
import itertools
import json
import multiprocessing
import pathlib
import re
import subprocess
import sys
import tempfile
import warnings
import zipfile
from collections.abc import Callable, Iterable, Iterator
from typing import Any, NamedTuple


class Package(NamedTuple):
    """A distribution on PyPI, its repository, and where its modules lie in that repository."""

    name: str
    version: str
    repo: str
    prefix: str


PACKAGES = (
    Package("accelerate", "1.15.0", "huggingface/accelerate", "src/"),
    Package("aiohttp", "3.14.5", "aio-libs/aiohttp", ""),
    Package("ansible-core", "2.19.14", "ansible/ansible", "lib/"),
    Package("anthropic", "2.14.0", "anthropics/anthropic-sdk-python", "src/"),
    Package("apache-airflow-core", "3.3.2", "apache/airflow", "airflow-core/src/"),
    Package("boto3", "1.44.8", "boto/boto3", ""),
    Package("botocore", "1.44.8", "boto/botocore", ""),
    Package("celery", "5.7.0", "celery/celery", ""),
    Package("click", "8.5.1", "pallets/click", "src/"),
    Package("cryptography", "50.0.2", "pyca/cryptography", "src/"),
    Package("datasets", "5.2.0", "huggingface/datasets", "src/"),
    Package("django", "5.2.19", "django/django", ""),
    Package("djangorestframework", "3.18.3", "encode/django-rest-framework", ""),
    Package("docker", "7.2.0", "docker/docker-py", ""),
    Package("fastapi", "0.165.0", "fastapi/fastapi", ""),
    Package("flask", "3.1.3", "pallets/flask", "src/"),
    Package("gradio", "6.31.0", "gradio-app/gradio", ""),
    Package("httpcore", "1.0.9", "encode/httpcore", ""),
    Package("httpx", "0.28.1", "encode/httpx", ""),
    Package("huggingface-hub", "2.4.0", "huggingface/huggingface_hub", "src/"),
    Package("imbalanced-learn", "0.14.2", "scikit-learn-contrib/imbalanced-learn", ""),
    Package("jinja2", "3.1.6", "pallets/jinja", "src/"),
    Package("keras", "3.15.1", "keras-team/keras", ""),
    Package("kombu", "5.7.0", "celery/kombu", ""),
    Package("langchain-community", "0.4.2", "langchain-ai/langchain-community", "libs/community/"),
    Package("langchain-core", "1.8.4", "langchain-ai/langchain", "libs/core/"),
    Package("matplotlib", "3.11.2", "matplotlib/matplotlib", "lib/"),
    Package("mcp", "1.6.0", "modelcontextprotocol/python-sdk", "src/"),
    Package("networkx", "3.6.1", "networkx/networkx", ""),
    Package("nltk", "3.10.4", "nltk/nltk", ""),
    Package("numpy", "2.4.6", "numpy/numpy", ""),
    Package("openai", "1.30.5", "openai/openai-python", "src/"),
    Package("pandas", "3.1.1", "pandas-dev/pandas", ""),
    Package("paramiko", "5.1.0", "paramiko/paramiko", ""),
    Package("peft", "0.21.2", "huggingface/peft", "src/"),
    Package("pillow", "13.0.0", "python-pillow/Pillow", "src/"),
    Package("pip", "26.3", "pypa/pip", "src/"),
    Package("poetry", "2.5.1", "python-poetry/poetry", "src/"),
    Package("poetry-core", "2.5.0", "python-poetry/poetry-core", "src/"),
    Package("psycopg", "3.3.9", "psycopg/psycopg", "psycopg/"),
    Package("pydantic", "2.10.6", "pydantic/pydantic", ""),
    Package("pymongo", "4.20.1", "mongodb/mongo-python-driver", ""),
    Package("pytest", "9.2.0", "pytest-dev/pytest", "src/"),
    Package("redis", "8.1.0", "redis/redis-py", ""),
    Package("requests", "2.34.2", "psf/requests", "src/"),
    Package("scikit-learn", "1.9.1", "scikit-learn/scikit-learn", ""),
    Package("scipy", "1.17.1", "scipy/scipy", ""),
    Package("setuptools", "84.2.1", "pypa/setuptools", ""),
    Package("sglang", "0.5.23", "sgl-project/sglang", "python/"),
    Package("sqlalchemy", "2.1.9", "sqlalchemy/sqlalchemy", "lib/"),
    Package("starlette", "1.10.0", "Kludex/starlette", ""),
    Package("statsmodels", "0.15.0", "statsmodels/statsmodels", ""),
    Package("streamlit", "1.67.0", "streamlit/streamlit", "lib/"),
    Package("transformers", "5.24.0", "huggingface/transformers", "src/"),
    Package("twisted", "26.10.0", "twisted/twisted", "src/"),
    Package("urllib3", "2.8.0", "urllib3/urllib3", "src/"),
    Package("uvicorn", "0.54.0", "Kludex/uvicorn", ""),
    Package("vllm", "0.8.5", "vllm-project/vllm", ""),
    Package("werkzeug", "3.1.9", "pallets/werkzeug", "src/"),
    Package("xarray", "2026.9.0", "pydata/xarray", ""),
)

# Wheels for one interpreter and platform, wherever the program runs, so that all see the same files.
PYTHON_VERSION = "3.11"
PLATFORMS = [f"manylinux_2_{minor}_x86_64" for minor in (34, 28, 27, 24, 17, 12, 5)]
PLATFORMS += [f"manylinux{year}_x86_64" for year in (2014, 2010, 1)]

LINES_BEFORE, LINES_AFTER = 16, 36  # of the raising line, in the excerpt
MAX_MESSAGE, MAX_PATTERN, MAX_EXCERPT = 1500, 500, 6000
MIN_LITERAL, MIN_PATTERN_LITERAL = 3, 6  # characters outside of placeholders
MAX_DEPTH = 8  # of nested expressions in one message

TRANSPARENT = frozenset(  # calls and methods that return their text, translated or tidied
    "_ gettext gettext_lazy _t dedent ugettext ngettext str tr t_ wrap indent cleandoc strip lower rstrip lstrip "
    "replace N_".split()
)
MESSAGE_KEYWORDS = frozenset("message msg detail reason error description".split())
MESSAGE_ATTRIBUTES = frozenset(
    "fmt message msg default_detail detail description default_message msg_template message_format".split()
)
LOG_METHODS = frozenset(("error", "exception", "critical"))
EXCEPTION_NAME = re.compile(r"(Error|Exception|Warning|Exit|Invalid\w*|NotFound|Denied)$")
CONSTANT_NAME = re.compile(r"^[A-Z_]*(ERROR|ERR|FAIL)[A-Z_]*$")

PERCENT_FIELD = re.compile(r"%(?:\(([^)]*)\))?[-#0 +]*(?:\d+|\*)?(?:\.\d+)?[a-zA-Z%]")
FORMAT_FIELD = re.compile(r"\{\{|\}\}|\{[^{}]*(?:\{[^{}]*\}[^{}]*)?\}")
BRACED = re.compile(r"\{[^}]*\}")
PLACEHOLDER = re.compile(r"\$\{[^}]*\}|%\([^)]*\)[sdifge]|%[sdifjv]|\{[^}]*\}")
PATTERN_SPECIAL = re.compile(r"[.*+?^${}()|\[\]\\]")
TAG = re.compile(r"[a-z][a-z0-9]*(-[a-z0-9]+)*")

SKIPPED_PATH = re.compile(
    r"(^|/)(tests?|testing|_tests?|benchmarks?|docs|examples?|node_modules)/|(^|/)(conftest|test_[^/]*|[^/]*_test)\.py$"
)
TESTLIKE_PACKAGES = {"django", "numpy", "pytest"}  # have modules with such names; only their tests are skipped
TESTLIKE_SKIPPED_PATH = re.compile(r"(^|/)tests(/|$)")

Record = dict[str, Any]
Lookup = Callable[[str], "ast.expr | None"]  # the expression last assigned to a name


def read_message(node: ast.expr | None, lookup: Lookup | None, depth: int = 0) -> str | None:
    """The message template that an expression builds, or None when no literal text is found in it."""
    if depth > MAX_DEPTH:
        return None
    match node:
        case ast.Constant(value=str(text)):
            return text
        case ast.Constant(value=bytes(raw)):
            return raw.decode("latin-1")
        case ast.JoinedStr(values=parts):
            return "".join(read_part(part, lookup, depth + 1) for part in parts)
        case ast.BinOp(op=ast.Add(), left=left, right=right):
            return read_joined([left, right], "", lookup, depth + 1)
        case ast.BinOp(op=ast.Mod(), left=left, right=right):
            template = read_message(left, lookup, depth + 1)
            values = right.elts if isinstance(right, ast.Tuple) else [right]
            return None if template is None else fill_percent(template, values)
        case ast.IfExp(body=body, orelse=orelse):
            text = read_message(body, lookup, depth + 1)
            return read_message(orelse, lookup, depth + 1) if text is None else text
        case ast.Name(id=name) if lookup:
            return read_message(lookup(name), lookup if depth < 3 else None, depth + 1)
        case ast.Tuple(elts=[first, *_]):
            return read_message(first, lookup, depth + 1)
        case ast.Call(func=ast.Attribute(attr=method, value=owner), args=args):
            return read_method(owner, method, args, lookup, depth + 1)
        case ast.Call(func=ast.Name(id=name), args=[first, *_]) if name in TRANSPARENT:
            return read_message(first, lookup, depth + 1)
    return None


def read_method(owner: ast.expr, method: str, args: list[ast.expr], lookup: Lookup | None, depth: int) -> str | None:
    """The message of ``"...".format(...)``, ``"...".join([...])``, ``"...".strip()``, ``i18n.gettext("...")``."""
    if method not in TRANSPARENT | {"format", "join"}:
        return None
    text = read_message(owner, lookup, depth)
    if method == "format":
        return None if text is None else fill_format(text, args)
    if method == "join":
        listed = bool(args) and isinstance(args[0], ast.List | ast.Tuple)
        return read_joined(args[0].elts, text, lookup, depth) if listed and text is not None else None
    if text is None:
        return read_message(args[0], lookup, depth) if args else None
    return text.strip() if "strip" in method else text


def read_part(part: ast.expr, lookup: Lookup | None, depth: int) -> str:
    """The text of one part of an f-string."""
    if isinstance(part, ast.Constant):
        return str(part.value)
    value = part.value if isinstance(part, ast.FormattedValue) else part
    text = read_message(value, lookup, depth) if isinstance(value, ast.Constant | ast.JoinedStr) else None
    return placeholder(value) if text is None else text


def read_joined(nodes: list[ast.expr], separator: str, lookup: Lookup | None, depth: int) -> str | None:
    """The texts of several expressions in a row, with placeholders for those that have none."""
    texts = [read_message(node, lookup, depth) for node in nodes]
    if all(text is None for text in texts):
        return None
    return separator.join(placeholder(n) if t is None else t for n, t in zip(nodes, texts, strict=True))


def placeholder(node: ast.expr) -> str:
    """The source of an expression in braces, shortened."""
    source = re.sub(r"[{}\n]", "", ast.unparse(node))
    return "{" + (source[:60] or "expr") + "}"


def fill_percent(template: str, values: Iterable[ast.expr]) -> str:
    """Replace printf fields by placeholders that show the values' expressions."""
    remaining = iter(values)

    def field(match: re.Match[str]) -> str:
        if match[0] == "%%":
            return "%"
        if match[1]:
            return "{" + match[1] + "}"
        value = next(remaining, None)
        return "{value}" if value is None else placeholder(value)

    return PERCENT_FIELD.sub(field, template)


def fill_format(template: str, values: list[ast.expr]) -> str:
    """Replace ``str.format`` fields by placeholders: names stay, positions show the values' expressions."""
    positions = itertools.count()

    def field(match: re.Match[str]) -> str:
        if match[0] in ("{{", "}}"):
            return match[0][0]
        name = re.split(r"[!:]", match[0][1:-1])[0]
        if name and not name.isdigit():
            return "{" + re.sub(r"[{}]", "", name) + "}"
        index = int(name) if name else next(positions)
        return placeholder(values[index]) if index < len(values) else "{value}"

    return FORMAT_FIELD.sub(field, template)


def derive_pattern(message: str) -> str:
    """The regular expression of a message: literals escaped, a lazy group for each placeholder.

    A message with too little text, a long pattern, or what looks like a back-reference stands for itself.
    """
    literals = PLACEHOLDER.split(message)
    pattern = "(.+?)".join(map(escape, literals))
    enough = len("".join(literals).strip()) >= MIN_PATTERN_LITERAL
    return pattern if enough and len(pattern) <= MAX_PATTERN and not re.search(r"\\[1-9]", pattern) else escape(message)


def escape(literal: str) -> str:
    return PATTERN_SPECIAL.sub(r"\\\g<0>", literal)


@dataclasses.dataclass(frozen=True, slots=True)
class Place:
    """Where in a module a node stands: the function and class around it, the test or exception that leads to it."""

    function: ast.FunctionDef | ast.AsyncFunctionDef | None = None
    owner: ast.ClassDef | None = None
    guard: ast.expr | None = None

    def enter(self, node: ast.AST) -> Place:
        match node:
            case ast.FunctionDef() | ast.AsyncFunctionDef():
                return dataclasses.replace(self, function=node, guard=None)
            case ast.ClassDef():
                return dataclasses.replace(self, owner=node)
            case ast.If(test=guard) | ast.ExceptHandler(type=guard):
                return dataclasses.replace(self, guard=guard)
        return self

    @property
    def name(self) -> str:
        owner = f"{self.owner.name}." if self.owner else ""
        return owner + (self.function.name if self.function else "<module>")


class Module:
    """Reads one source file; ``records`` holds what it raises and logs, without what only the whole set tells."""

    def __init__(self, path: str, source: str) -> None:
        self.path = path
        self.lines = source.split("\n")
        self.records: list[Record] = []
        self.assignments: dict[ast.AST, dict[str, list[ast.Assign]]] = {}
        self.constants: dict[str, ast.expr] = {}
        tree = ast.parse(source)
        for node in tree.body:
            match node:
                case ast.Assign(targets=[ast.Name(id=name)], value=value):
                    self.constants[name] = value
        self.read_constants()
        self.walk(tree, Place())

    def walk(self, parent: ast.AST, place: Place) -> None:
        for node in ast.iter_child_nodes(parent):
            match node:
                case ast.ClassDef():
                    self.read_class(node)
                case ast.Raise(exc=ast.Call() as call):
                    self.read_raise(node, call, place)
                case ast.Call(func=ast.Attribute(attr=method, value=logger), args=[template, *values]):
                    if method in LOG_METHODS and "log" in last_name(logger).lower():
                        self.read_log(node, template, values, place)
            self.walk(node, place.enter(node))

    def lookup(self, place: Place, line: int) -> Lookup:
        """Names as they stand at a line of a function: assigned before it, else constants of the module."""

        def find(name: str) -> ast.expr | None:
            earlier = [node for node in self.assigned(place.function).get(name, ()) if node.lineno <= line]
            return max(earlier, key=lambda node: node.lineno).value if earlier else self.constants.get(name)

        return find

    def assigned(self, function: ast.AST | None) -> dict[str, list[ast.Assign]]:
        """The assignments in a function, by name."""
        if function is not None and function not in self.assignments:
            table = self.assignments[function] = collections.defaultdict(list)
            for node in ast.walk(function):
                for target in node.targets if isinstance(node, ast.Assign) else ():
                    if isinstance(target, ast.Name):
                        table[target.id].append(node)
        return self.assignments.get(function, {}) if function is not None else {}

    def read_constants(self) -> None:
        for name, value in self.constants.items():
            text = read_message(value, None) if CONSTANT_NAME.match(name) else None
            if text and len(text) > 12:
                self.add(fill_percent(text, ()) if "%" in text else fill_format(text, []), "console", value, Place())

    def read_class(self, node: ast.ClassDef) -> None:
        for child in node.body if EXCEPTION_NAME.search(node.name) else ():
            match child:
                case ast.Assign(targets=[ast.Name(id=name), *_], value=value) if name in MESSAGE_ATTRIBUTES:
                    text = read_message(value, self.constants.get) or ""
                    self.add(text, "exception", child, Place(owner=node), errorClass=node.name)

    def read_raise(self, node: ast.Raise, call: ast.Call, place: Place) -> None:
        match call.func:
            case ast.Attribute(attr="with_traceback", value=ast.Call() as inner):
                call = inner
        name = last_name(call.func)
        message = read_arguments(call, self.lookup(place, node.lineno))
        if message is None or not (name or isinstance(call.func, ast.Call)):
            return
        status = http_status(call)
        kind = "http" if status or name == "HTTPException" else "validation" if "Validation" in name else "exception"
        error_class = None if name in ("", "__class__", "type") else name
        self.add(message, kind, node, place, errorClass=error_class, errorCode=error_code(call), httpStatus=status)

    def read_log(self, node: ast.Call, template: ast.expr, values: list[ast.expr], place: Place) -> None:
        text = read_message(template, self.lookup(place, node.lineno)) or ""
        self.add(fill_percent(text, values) if isinstance(template, ast.Constant) else text, "console", node, place)

    def add(self, message: str, kind: str, node: ast.stmt | ast.expr, place: Place, **known: Any) -> None:
        """Keep a message as a record, unless it is too long or has too little text; ``known`` holds further fields."""
        message = re.sub(r"[ \t]+\n", "\n", inspect.cleandoc(message)).strip()
        if len(message) > MAX_MESSAGE or len(BRACED.sub("", message).strip()) < MIN_LITERAL:
            return
        start = max(1, node.lineno - LINES_BEFORE)
        end = min(len(self.lines), start + LINES_AFTER)
        verb = f"{known['errorClass']} raised by" if known.get("errorClass") else "Error logged by"
        summary = ((ast.get_docstring(place.function) if place.function else None) or "").strip().split("\n\n")[0]
        condition = f"Raised when `{ast.unparse(place.guard)[:160]}` holds in" if place.guard else "Raised from"
        record = dict.fromkeys(("errorCode", "errorClass", "httpStatus")) | known | {
            "errorMessage": message,
            "messagePattern": derive_pattern(message),
            "errorType": kind,
            "severity": "error",
            "filePath": self.path,
            "lineNumber": node.lineno,
            "sourceCode": "\n".join(self.lines[start - 1 : end])[:MAX_EXCERPT],
            "sourceCodeStart": start,
            "sourceCodeEnd": end,
            "documentation": f"{verb} {place.name} in {self.path}. {' '.join(summary.split())[:300]}".strip(),
            "triggerScenarios": f"{condition} {place.name}.",
            "commonSituations": f"Calling {place.name} with arguments or state that fail this check.",
            "solutions": ["Check the condition that guards the raise and pass a value that satisfies it."],
        }
        self.records.append(record)


def last_name(node: ast.expr) -> str:
    """``c`` of ``a.b.c`` or of ``c``; empty for anything else."""
    match node:
        case ast.Name(id=name) | ast.Attribute(attr=name):
            return name
    return ""


def read_arguments(call: ast.Call, lookup: Lookup) -> str | None:
    """The message among the arguments: the first of three with enough text, else a keyword of that meaning."""
    for argument in call.args[:3]:
        text = None if isinstance(argument, ast.Starred) else read_message(argument, lookup)
        if text is not None and (argument is call.args[-1] or len(BRACED.sub("", text)) >= MIN_PATTERN_LITERAL):
            return text
    texts = (read_message(keyword.value, lookup) for keyword in call.keywords if keyword.arg in MESSAGE_KEYWORDS)
    return next((text for text in texts if text is not None), None)


def keyword_constants(call: ast.Call, *names: str) -> list[Any]:
    return [k.value.value for k in call.keywords if k.arg in names and isinstance(k.value, ast.Constant)]


def error_code(call: ast.Call) -> str | None:
    codes = [code for code in keyword_constants(call, "code", "error_code") if code and isinstance(code, str)]
    return codes[-1] if codes else None


def http_status(call: ast.Call) -> int | None:
    """An HTTP status named by keyword, or an HTTP error status among the first three arguments."""
    named = [value for value in keyword_constants(call, "status_code", "status") if value in range(100, 600)]
    given = [n.value for n in call.args[:3] if isinstance(n, ast.Constant) and n.value in range(400, 600)]
    return next((int(value) for value in given + named), None)


def complete(packages: Iterable[tuple[Package, list[Record]]]) -> Iterator[Record]:
    """The records of all packages, without repetitions, with identifier, slug and what comes from the package."""
    seen: set[tuple[str, ...]] = set()
    slugs: set[tuple[str, ...]] = set()
    absent = dict.fromkeys(("exampleFix", "handlingStrategy", "validationCode", "typeGuard", "tryCatchPattern"))
    for package, record in ((package, record) for package, records in packages for record in records):
        repo, path = package.repo, record["filePath"]
        message, error_class = record["errorMessage"], record["errorClass"]
        key = (repo, path, message, str(error_class))
        plain = f"{repo}\x01{record['errorCode'] or message}\x01{path}"
        by_class = f"{repo}\x01{record['errorCode']}{message}\x01{path}\x01{error_class}"
        digests = [hashlib.sha256(text.encode()).hexdigest()[:16] for text in (plain, by_class)]
        identifier = next((digest for digest in digests if (digest,) not in seen), None)
        if key in seen or identifier is None:
            continue
        seen |= {key, (identifier,)}
        base = kebab(message[:50]) or "error"
        names = itertools.chain([base], (f"{base}-{number}" for number in itertools.count(2)))
        slug = next(name for name in names if (repo, name) not in slugs)
        slugs.add((repo, slug))
        commit = hashlib.sha1(f"{repo}@{package.version}".encode()).hexdigest()
        lines = f"L{record['sourceCodeStart']}-L{record['sourceCodeEnd']}"
        class_words = re.sub(r"(?<=[a-z])(?=[A-Z])", "-", error_class or "log")
        tags = dict.fromkeys(map(kebab, (repo.split("/")[1], pathlib.PurePosixPath(path).stem, class_words)))
        yield {"id": identifier, "repo": repo, "slug": slug} | record | absent | {
            "githubUrl": f"https://github.com/{repo}/blob/{commit}/{path}#{lines}",
            "preventionTips": [],
            "tags": [tag for tag in tags if TAG.fullmatch(tag)],
            "backgroundTag": None,
            "analyzedSha": commit,
            "analyzedAt": "2026-08-01T00:00:00.000Z",
            "schemaVersion": 2,
        }


def kebab(text: str) -> str:
    words = re.sub(r"[^a-z0-9]+", "-", text.lower()).strip("-")
    return re.sub(r"^[^a-z]+", "", words).strip("-")


def fetch(package: Package, cache: pathlib.Path) -> pathlib.Path:
    """The package's wheel in the cache, downloaded by pip when it is not there."""
    name = f"{package.name.replace('-', '_')}-{package.version}-*.whl"
    if not any(cache.glob(name)):
        command = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--only-binary=:all:"]
        command += [f"--python-version={PYTHON_VERSION}", *(f"--platform={platform}" for platform in PLATFORMS)]
        command += [f"--dest={cache}", f"{package.name}=={package.version}"]
        done = subprocess.run(command, capture_output=True, text=True)
        if done.returncode or not any(cache.glob(name)):
            raise SystemExit(f"pip could not download {package.name} {package.version}:\n{done.stderr.strip()}")
    return min(cache.glob(name))


def read_wheel(package: Package, wheel: pathlib.Path) -> list[Record]:
    """The records of all modules in a wheel, by path; files that do not parse are left out."""
    warnings.filterwarnings("ignore", category=SyntaxWarning)
    skipped = TESTLIKE_SKIPPED_PATH if package.name in TESTLIKE_PACKAGES else SKIPPED_PATH
    records: list[Record] = []
    with zipfile.ZipFile(wheel) as archive:
        for name in sorted(archive.namelist()):
            if name.endswith(".py") and not skipped.search(name):
                with contextlib.suppress(SyntaxError, ValueError):
                    source = archive.read(name).decode("utf-8").replace("\r\n", "\n").replace("\r", "\n")
                    records += Module(package.prefix + name, source).records
    return records


def main() -> None:
    parser = argparse.ArgumentParser(description="Build the record set on which the cases in fixtures/cases/ are judged.")
    parser.add_argument("--out", type=pathlib.Path, required=True, metavar="FILE.jsonl", help="where the records go")
    default = pathlib.Path(tempfile.gettempdir()) / "case-dataset-wheels"
    parser.add_argument("--cache", type=pathlib.Path, default=default, metavar="DIR", help="wheels (%(default)s)")
    options = parser.parse_args()
    options.cache.mkdir(parents=True, exist_ok=True)
    with concurrent.futures.ThreadPoolExecutor(4) as threads:
        wheels = list(threads.map(fetch, PACKAGES, itertools.repeat(options.cache)))
    with multiprocessing.Pool() as pool:
        records = pool.starmap(read_wheel, zip(PACKAGES, wheels, strict=True), chunksize=1)
    lines = [json.dumps(record) + "\n" for record in complete(zip(PACKAGES, records, strict=True))]
    options.out.write_text("".join(lines), encoding="ascii", newline="\n")
    digest = hashlib.sha256("".join(lines).encode()).hexdigest()
    print(f"{options.out}: {len(lines)} records from {len(PACKAGES)} packages, sha256 {digest}")


if __name__ == "__main__":
    main()

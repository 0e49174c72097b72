"""Real errors of installed packages are answered from their harvested records: the one of the raising statement first.

Which record that is, the traceback itself says: the file and the lines of the statement that raised.
"""

from __future__ import annotations

import argparse
import asyncio
import configparser
import csv
import dataclasses
import enum
import getopt
import http.client
import inspect
import io
import ipaddress
import json
import logging.config
import pathlib
import random
import shutil
import statistics
import subprocess
import tarfile
import tomllib
import traceback
import typing
import urllib.request
import uuid
import zipfile
import zoneinfo
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

import click
import dj_database_url
import h11
import idna
import jwt
import packaging.requirements
import packaging.version
import psycopg
import psycopg_pool
import pytest
import requests
import urllib3
import yaml
from django import forms
from django.apps import apps
from django.contrib.auth.hashers import identify_hasher
from django.core import signing, validators
from django.core.cache import caches
from django.core.management import call_command
from django.core.paginator import Paginator
from django.db import connections
from django.http import HttpResponse, QueryDict
from django.shortcuts import get_object_or_404
from django.template import Engine
from django.test import RequestFactory
from django.urls import reverse
from django.utils.module_loading import import_string
from gunicorn.util import parse_address
from psycopg import sql
from psycopg._queries import PostgresQuery
from psycopg.adapt import Transformer
from rest_framework import parsers, serializers, throttling, views
from werkzeug.exceptions import abort
from werkzeug.routing import Map, Rule

from kb.catalog.models import Dataset
from kb.imports.options import ImportOptions
from kb.imports.pipeline import run_import
from kb.matching.answers import FaultAnswer
from kb.matching.engine import explain
from tests.harvest.conftest import Harvested

pytestmark = pytest.mark.no_db_matrix


def render(template: str) -> None:
    Engine().from_string(template)


def change_query() -> None:
    QueryDict("a=1")["a"] = "2"


def read_twice() -> None:
    request = RequestFactory().post("/", b"text", content_type="text/plain")
    request.read()
    assert request.body


def first_argument_twice() -> None:
    argparse.ArgumentParser().add_argument("name", dest="other")


def answer_wrong_method() -> None:
    view = views.APIView()
    view.http_method_not_allowed(RequestFactory().delete("/"))


def throttle() -> None:
    throttling.SimpleRateThrottle()


def pool_after_end() -> None:
    pool = psycopg_pool.ConnectionPool("host=/nowhere", min_size=0, open=False)
    pool.getconn()


def answer_not_found() -> None:
    response = requests.Response()
    response.status_code, response.reason, response.url = 404, "Not Found", "http://localhost/"
    response.raise_for_status()


def convert(query: str, parameters: object) -> None:
    PostgresQuery(Transformer()).convert(query, parameters)


def mutable_default() -> None:
    dataclasses.dataclass(type("Basket", (), {"__annotations__": {"items": list}, "items": []}))


def write_unknown_column() -> None:
    csv.DictWriter(io.StringIO(), ["a"]).writerow({"b": 1})


def submit_late() -> None:
    pool = ThreadPoolExecutor(1)
    pool.shutdown()
    pool.submit(print)


def open_nothing() -> None:
    with tarfile.open(fileobj=io.BytesIO(b"nothing")):
        pass


def end_too_early() -> None:
    connection = h11.Connection(h11.CLIENT)
    connection.send(h11.EndOfMessage())


def convert_click_value() -> None:
    click.IntRange(1, 5).convert(9, None, None)


CASES: dict[str, Callable[[], object]] = {
    "Django: no such name": lambda: reverse("nowhere"),
    "Django: no such tag": lambda: render("{% frobnicate %}"),
    "Django: no such filter": lambda: render("{{ name|frobnicate }}"),
    "Django: no such template": lambda: Engine().get_template("missing.html"),
    "Django: no path": lambda: import_string("nodots"),
    "Django: no attribute": lambda: import_string("os.nothing"),
    "Django: no whole number": lambda: forms.IntegerField().clean("x"),
    "Django: no address": lambda: validators.validate_email("nobody"),
    "Django: unsigned": lambda: signing.loads("unsigned"),
    "Django: no such key": lambda: QueryDict("a=1")["b"],
    "Django: fixed query": change_query,
    "Django: no model": lambda: get_object_or_404(int, pk=1),
    "Django: no row": lambda: Dataset.objects.get(name="nobody"),
    "Django: no field": lambda: Dataset.objects.filter(frobnicated=1),
    "Django: negative index": lambda: Dataset.objects.all()[-1],
    "Django: bad header": lambda: HttpResponse(headers={"X-Name": "a\nb"}),
    "Django: empty page": lambda: Paginator([1], 1).page(9),
    "Django: no command": lambda: call_command("frobnicate"),
    "Django: read twice": read_twice,
    "Django: no hasher": lambda: identify_hasher("frobnicate$1$2"),
    "Django: no cache": lambda: caches["frobnicate"],
    "Django: no connection": lambda: connections["frobnicate"],
    "Django: no application": lambda: apps.get_app_config("frobnicate"),
    "DRF: not validated": lambda: serializers.Serializer(data={}).data,
    "DRF: no integer": lambda: serializers.IntegerField().run_validation("x"),
    "DRF: no JSON": lambda: parsers.JSONParser().parse(io.BytesIO(b"frobnicate")),
    "DRF: wrong method": answer_wrong_method,
    "DRF: no rate": throttle,
    "psycopg: no connection string": lambda: psycopg.connect("nowhere"),
    "psycopg: no identifier": lambda: sql.Identifier(1),
    "psycopg: too few values": lambda: convert("SELECT %s, %s", [1]),
    "psycopg: bad placeholder": lambda: convert("SELECT %x", [1]),
    "psycopg: pool not open": pool_after_end,
    "requests: no scheme": lambda: requests.get("nowhere", timeout=1),
    "requests: unknown scheme": lambda: requests.get("gopher://nowhere", timeout=1),
    "requests: not found": answer_not_found,
    "urllib3: no address": lambda: urllib3.util.parse_url("http://[::1"),
    "urllib3: no more tries": lambda: urllib3.Retry(total=0).increment("GET", "/", error=OSError("gone")),
    "YAML: not closed": lambda: yaml.safe_load("a: ["),
    "YAML: unknown tag": lambda: yaml.safe_load("!frobnicate {}"),
    "YAML: two values": lambda: yaml.safe_load("a: b: c"),
    "YAML: no anchor": lambda: yaml.safe_load("*nowhere"),
    "TOML: no value": lambda: tomllib.loads("a ="),
    "TOML: text": lambda: tomllib.load(io.StringIO("a = 1")),
    "json: nothing": lambda: json.loads("frobnicate"),
    "configparser: no section": lambda: configparser.ConfigParser().get("a", "b"),
    "configparser: no header": lambda: configparser.ConfigParser().read_string("a = 1"),
    "argparse: two names": first_argument_twice,
    "pathlib: not below": lambda: pathlib.Path("a").relative_to("b"),
    "subprocess: failed": lambda: subprocess.run(["false"], check=True),
    "uuid: no UUID": lambda: uuid.UUID("nothing"),
    "ipaddress: no address": lambda: ipaddress.ip_address("nothing"),
    "zipfile: no archive": lambda: zipfile.ZipFile(io.BytesIO(b"nothing")),
    "tarfile: no archive": open_nothing,
    "urllib: no scheme": lambda: urllib.request.urlopen("nowhere"),
    "statistics: nothing": lambda: statistics.mean([]),
    "enum: no member": lambda: enum.Enum("Color", "RED")("blue"),
    "dataclasses: mutable": mutable_default,
    "typing: no class": lambda: typing.get_type_hints(1),
    "logging: no version": lambda: logging.config.dictConfig({}),
    "csv: unknown column": write_unknown_column,
    "shutil: same file": lambda: shutil.copyfile(__file__, __file__),
    "random: too many": lambda: random.sample([1], 2),
    "inspect: not callable": lambda: inspect.signature(1),
    "asyncio: no coroutine": lambda: asyncio.run(1),
    "zoneinfo: no zone": lambda: zoneinfo.ZoneInfo("Nowhere/Land"),
    "concurrent: shut down": submit_late,
    "getopt: unknown": lambda: getopt.getopt(["--frobnicate"], ""),
    "http: no port": lambda: http.client.HTTPConnection("localhost:http"),
    "packaging: no version": lambda: packaging.version.Version("frobnicate"),
    "packaging: no requirement": lambda: packaging.requirements.Requirement("a b"),
    "idna: bad label": lambda: idna.encode("a..b"),
    "jwt: no token": lambda: jwt.decode("nothing", "key", algorithms=["HS256"]),
    "dj-database-url: unknown": lambda: dj_database_url.parse("gopher://nowhere"),
    "gunicorn: no port": lambda: parse_address("localhost:http"),
    "h11: too early": end_too_early,
    "werkzeug: not found": lambda: abort(404),
    "werkzeug: no converter": lambda: Map([Rule("/<frobnicate:name>")]),
    "click: out of range": convert_click_value,
}


def provoke(case: Callable[[], object]) -> BaseException:
    """What a case raises."""
    try:
        case()
    except Exception as error:  # noqa: BLE001  any class is right
        return error
    raise AssertionError("nothing was raised")


def printed_chain(error: BaseException) -> list[BaseException]:
    """The exceptions that a printed traceback shows, the last one first."""
    chain = [error]
    while following := chain[-1].__cause__ or (None if chain[-1].__suppress_context__ else chain[-1].__context__):
        chain.append(following)
    return chain


def raising(harvested: Harvested, error: BaseException) -> set[str]:
    """The ids of the records of the statement that raised, by the innermost frame of the error's traceback."""
    frame = error.__traceback__
    if frame is None:
        return set()
    while frame.tb_next is not None:
        frame = frame.tb_next
    code = frame.tb_frame.f_code
    first, last, *_ = list(code.co_positions())[frame.tb_lasti // 2]
    return {
        record["id"]
        for record in harvested.named_at(code.co_filename, first or frame.tb_lineno, last or frame.tb_lineno)
    }


def is_end(told: FaultAnswer, error: BaseException) -> bool:
    """Whether this is the answer about the error itself, not about one that led to it."""
    return told.role in {"only", "outermost"} and told.fault.cls.rpartition(".")[2] == type(error).__name__


def complaint(harvested: Harvested, error: BaseException) -> str:
    """What is wrong with the explanation of an error's traceback; empty when nothing is.

    The error itself has a record of its raising statement first; and what answers the whole text is a record of a
    raising statement, of this or of an error that led to it.
    """
    answer = explain("".join(traceback.format_exception(error)))
    last = next((told.matches for told in answer.faults if is_end(told, error)), ())
    expected = raising(harvested, error)
    if not last or last[0].id not in expected:
        return f"{error!r} is explained by {last[0].row.error_message if last else None!r}, not {expected}"
    chain = set().union(*(raising(harvested, one) for one in printed_chain(error)))
    if answer.best is None or answer.best.id not in chain:
        return f"{error!r} is answered by {answer.best and answer.best.row.error_message!r}, not {chain}"
    return ""


def test_provoked_errors_are_explained_by_the_record_of_the_raising_statement(db: None, harvested: Harvested) -> None:
    report = run_import([harvested.file], ImportOptions(dataset="harvest"))
    assert (report.outcome, report.rejected, report.added) == ("published", 0, len(harvested.records))
    assert len(CASES) >= 40
    complaints = {name: wrong for name, case in CASES.items() if (wrong := complaint(harvested, provoke(case)))}
    assert len(complaints) <= 0.05 * len(CASES), complaints

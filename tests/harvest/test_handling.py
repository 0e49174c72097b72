"""Every ``try`` of every harvested record compiles, and what it imports and names is there, and is an exception."""

from __future__ import annotations

import json
import subprocess
import sys

from tests.harvest.conftest import Harvested

# In a process of its own: it imports what no test needs, of packages that warn and change what others rely on.
PROGRAM = """
import builtins, json, sys, warnings

warnings.simplefilter("ignore")
wrong, seen = [], set()
for line in sys.stdin:
    id, pattern = json.loads(line)
    try:
        compile(pattern, id, "exec")
        imported, _, rest = pattern.rpartition("try:\\n")
        name = rest.partition("except ")[2].partition(" as error:")[0]
        if (imported, name) in seen:
            continue
        seen.add((imported, name))
        space = {}
        exec(imported, space)
        caught = eval(name, space)
        assert isinstance(caught, type) and issubclass(caught, BaseException), name
    except BaseException as error:
        wrong.append((pattern, repr(error)))
print(json.dumps([len(seen), wrong]))
"""


def test_every_pattern_compiles_and_names_an_exception_that_can_be_imported(harvested: Harvested) -> None:
    patterns = [(record["id"], record["tryCatchPattern"]) for record in harvested.records if record["tryCatchPattern"]]
    assert len(patterns) > 0.5 * len(harvested.records)
    run = subprocess.run(
        [sys.executable, "-I", "-c", PROGRAM],
        input="".join(f"{json.dumps(row)}\n" for row in patterns),
        capture_output=True,
        text=True,
        check=True,
    )
    count, wrong = json.loads(run.stdout.splitlines()[-1])
    assert wrong == []
    assert count > 100


def test_what_a_pattern_catches_is_the_record_s_class_or_a_base_of_it(harvested: Harvested) -> None:
    for record in harvested.records:
        if record["tryCatchPattern"]:
            caught = record["tryCatchPattern"].partition("except ")[2].partition(" as error:")[0]
            named = [record["errorClass"], *record.get("baseClasses", ())]
            assert caught.rpartition(".")[2] in {name.rpartition(".")[2] for name in named}, record["id"]

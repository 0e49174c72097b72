"""Paths of frames against paths of records."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kb.matching.paths import agreement, frame_place, packages_of


@pytest.mark.parametrize(
    ("path", "package", "parts"),
    [
        ("/home/u/.venv/lib/python3.12/site-packages/tool/core/run.py", "tool", ("tool", "core", "run.py")),
        ("C:\\Python\\Lib\\site-packages\\tool\\run.py", "tool", ("tool", "run.py")),
        ("...site-packages/tool/run.py", "tool", ("tool", "run.py")),
        ("/usr/lib/python3/dist-packages/single.py", "single", ("single.py",)),
        ("/app/node_modules/tool/lib/run.js", "tool", ("tool", "lib", "run.js")),
        ("/app/node_modules/@org/tool/lib/run.js", "@org/tool", ("@org", "tool", "lib", "run.js")),
        ("file:///app/node_modules/a/node_modules/b/x.mjs", "b", ("b", "x.mjs")),
        ("/go/pkg/mod/github.com/org/tool@v1.2.3/run.go", "org/tool", ("run.go",)),
        ("/home/u/.cargo/registry/src/index.crates.io-6f17d22b/tool-1.2.3/src/run.rs", "tool", ("src", "run.rs")),
        ("/var/lib/gems/3.1.0/gems/tool-2.0.1/lib/tool/run.rb", "tool", ("lib", "tool", "run.rb")),
        ("/x/site-packages/tool-0.4.0.dev0-py3.8.egg/tool/run.py", "tool", ("tool", "run.py")),
        ("/app/vendor/org/tool/src/Run.php", "org/tool", ("src", "run.php")),
        ("/src/vendor/github.com/org/tool/pkg/run.go", "org/tool", ("pkg", "run.go")),
        ("/app/vendor/bundle/ruby/3.1.0/gems/tool-2.0.1/lib/run.rb", "tool", ("lib", "run.rb")),
        ("/home/u/project/run.py", "", ("home", "u", "project", "run.py")),
        ("run.py", "", ("run.py",)),
    ],
)
def test_a_frame_stands_in_its_package(path: str, package: str, parts: tuple[str, ...]) -> None:
    place = frame_place(path)
    assert (place.package, place.parts) == (package, parts)


@pytest.mark.parametrize(
    ("frame", "record", "expected"),
    [
        ("/x/site-packages/tool/core/run.py", "src/tool/core/run.py", 1.0),
        ("/x/site-packages/tool/core/run.py", "tool/core/run.py", 1.0),
        ("/x/node_modules/tool/lib/core/run.js", "lib/core/run.js", 1.0),
        ("D:\\x\\site-packages\\Tool\\run.py", "tool/run.py", 1.0),
        ("/x/site-packages/tool/io/parsers.py", "tool/io/parsers/base.py", 0.3),
        ("/x/site-packages/tool/io/other.py", "tool/io/parsers.py", 0.3),
        ("/x/site-packages/tool/run.py", "other/thing.py", 0.0),
        ("/x/site-packages/pip/_vendor/tool/run.py", "src/tool/run.py", 0.0),
        ("/x/site-packages/pip/_vendor/tool/run.py", "src/pip/_vendor/tool/run.py", 1.0),
        ("/home/u/utils.py", "src/tool/utils.py", 0.0),
        ("", "src/tool/utils.py", 0.0),
        ("run.py", "", 0.0),
    ],
)
def test_files_agree(frame: str, record: str, expected: float) -> None:
    assert agreement(frame_place(frame), record) == expected


@given(st.text(max_size=60), st.text(max_size=60))
def test_any_two_paths_can_be_compared(frame: str, record: str) -> None:
    assert 0.0 <= agreement(frame_place(frame), record) <= 1.0
    assert packages_of(record, frame)


def test_a_record_may_be_installed_under_several_names() -> None:
    assert {"tool", "some-tool", "some_tool", "org/some-tool"} <= packages_of("src/tool/run.py", "Org/some-tool")

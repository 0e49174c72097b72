"""The language of a file."""

from __future__ import annotations

import pytest

from kb.records.languages import language_of


@pytest.mark.parametrize(
    ("path", "fallback", "language"),
    [
        ("python/runtime.py", None, "Python"),
        ("lib/core/settle.js", "TypeScript", "JavaScript"),
        ("src/index.d.ts", None, "TypeScript"),
        ("a/b.mts", None, "TypeScript"),
        ("ui/App.svelte", "JavaScript", "Svelte"),
        ("src/UPPER.CPP", None, "C++"),
        ("src\\win\\main.rs", None, "Rust"),
        ("include/a.h", None, "C"),
        ("include/a.h", "C++", "C++"),
        ("include/a.h", "Python", "C"),
        ("lib/a.pl", "Python", "Perl"),
        ("Makefile", None, "Makefile"),
        ("docker/Dockerfile.dev", None, "Dockerfile"),
        ("CMakeLists.txt", "C++", "CMake"),
        ("NOTES.unknownending", "Go", "Go"),
        ("NOTES.unknownending", None, None),
        ("py", None, None),
        ("", None, None),
    ],
)
def test_the_name_of_the_file_tells_the_language(path, fallback, language):
    assert language_of(path, fallback) == language

"""The programming language of a file, by its name.

Names are those that GitHub uses for repositories, so that a record's language and its repository's language compare.
"""

from __future__ import annotations

from typing import Final

__all__ = ["language_of"]

_ENDINGS: Final = {
    "Assembly": "asm s",
    "Astro": "astro",
    "Batchfile": "bat cmd",
    "C": "c",
    "C#": "cs csx",
    "C++": "cc cpp cxx c++ hh hpp hxx h++ inl ipp tcc tpp ixx cppm",
    "CMake": "cmake",
    "CSS": "css",
    "Clojure": "clj cljc cljs",
    "CoffeeScript": "coffee",
    "Crystal": "cr",
    "Cuda": "cu cuh",
    "Cython": "pyx pxd pxi",
    "D": "d",
    "Dart": "dart",
    "Dockerfile": "dockerfile",
    "Elixir": "ex exs",
    "Elm": "elm",
    "Erlang": "erl hrl",
    "F#": "fs fsi fsx",
    "Fortran": "f f90 f95 f03 f08 for",
    "GLSL": "glsl vert frag comp",
    "Gleam": "gleam",
    "Go": "go",
    "GraphQL": "graphql gql",
    "Groovy": "groovy gradle",
    "HCL": "hcl tf tfvars",
    "HTML": "html htm xhtml",
    "Haskell": "hs lhs",
    "JSON": "json jsonc json5",
    "Java": "java",
    "JavaScript": "js mjs cjs jsx es6",
    "Julia": "jl",
    "Jupyter Notebook": "ipynb",
    "Kotlin": "kt kts",
    "Less": "less",
    "Lua": "lua",
    "Makefile": "mk mak",
    "Markdown": "md markdown mdx",
    "Metal": "metal",
    "Nim": "nim",
    "Nix": "nix",
    "OCaml": "ml mli",
    "Objective-C++": "mm",
    "PHP": "php phtml php5 phps",
    "PLpgSQL": "pgsql plpgsql",
    "Pascal": "pas pp dpr",
    "Perl": "pl pm t",
    "PowerShell": "ps1 psm1 psd1",
    "Protocol Buffer": "proto",
    "Python": "py pyi pyw",
    "R": "r",
    "ReScript": "res resi",
    "Ruby": "rb rake gemspec erb ru",
    "Rust": "rs",
    "SCSS": "scss sass",
    "SQL": "sql",
    "Scala": "scala sc sbt",
    "Shell": "sh bash zsh ksh bats",
    "Solidity": "sol",
    "Starlark": "bzl star bazel",
    "Svelte": "svelte",
    "Swift": "swift",
    "SystemVerilog": "sv svh",
    "TOML": "toml",
    "Tcl": "tcl",
    "TypeScript": "ts mts cts tsx",
    "VHDL": "vhd vhdl",
    "Verilog": "v",
    "Vim Script": "vim",
    "Visual Basic .NET": "vb",
    "Vue": "vue",
    "WebAssembly": "wat wast",
    "XML": "xml xsd xsl xslt",
    "YAML": "yaml yml",
    "Zig": "zig",
}
_BY_ENDING: Final = {ending: language for language, endings in _ENDINGS.items() for ending in endings.split()}

_BY_NAME: Final = {
    "build": "Starlark",
    "cmakelists.txt": "CMake",
    "containerfile": "Dockerfile",
    "dockerfile": "Dockerfile",
    "gemfile": "Ruby",
    "gnumakefile": "Makefile",
    "jenkinsfile": "Groovy",
    "makefile": "Makefile",
    "rakefile": "Ruby",
    "vagrantfile": "Ruby",
    "workspace": "Starlark",
}

# Endings that several languages share: the repository's language decides when it is one of them, else the first.
_SHARED: Final = {
    "h": ("C", "C++", "Objective-C", "Objective-C++", "Cuda", "Swift"),
    "inc": ("PHP", "C++", "C", "Pascal", "Assembly"),
    "m": ("Objective-C", "MATLAB", "Mercury", "Objective-C++", "Swift"),
    "pl": ("Perl", "Prolog"),
    "v": ("Verilog", "V", "Coq", "Rocq Prover"),
}


def language_of(file_path: str, fallback: str | None = None) -> str | None:
    """The language of the file at a path with slashes or backslashes.

    ``fallback``, the repository's main language, decides between languages that share an ending (``.h``) and is the
    answer for a file whose name says nothing.
    """
    name = file_path.replace("\\", "/").rpartition("/")[2].lower()
    ending = name.rpartition(".")[2] if "." in name else ""
    if ending in _SHARED:
        sharing = _SHARED[ending]
        return fallback if fallback in sharing else sharing[0]
    return _BY_NAME.get(name) or _BY_ENDING.get(ending) or _BY_NAME.get(name.partition(".")[0]) or fallback

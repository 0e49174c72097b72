"""The function around a line of a snippet."""

from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kb.records.functions import enclosing_function

pytestmark = pytest.mark.no_db_matrix

SNIPPETS = {
    "Python": ("class A:\n    async def load(self, path):\n        if not path:\n            raise E", 3, "load"),
    "Python after a closed one": ("def first():\n    pass\n\ndef second(\n    x,\n):\n    raise E", 6, "second"),
    "Python nested": ("def outer():\n    def inner():\n        return 1\n    raise E", 3, "outer"),
    "Python at the top": ("def done():\n    return 1\nraise E", 2, ""),
    "JavaScript": ("export async function settle(a, b) {\n  if (x) {\n    reject(new E());", 2, "settle"),
    "JavaScript arrow": ("const parse = async (text) => {\n  throw new E();", 1, "parse"),
    "JavaScript member": ("class A {\n  async open(path) {\n    if (!path) {\n      throw new E();", 3, "open"),
    "JavaScript object": ("module.exports = {\n  read: function (x) {\n    throw E;", 2, "read"),
    "TypeScript": (
        "  private check<T>(value: T): T {\n    switch (value) {\n      default:\n        throw 1",
        3,
        "check",
    ),
    "Go": ("func (c *Conn) Dial(ctx context.Context) error {\n\tif x {\n\t\treturn errors.New(1)", 2, "Dial"),
    "Rust": ("impl A {\n    pub(crate) async fn read(&self) -> R {\n        panic!()", 2, "read"),
    "Java": ("    public static <T> List<T> of(T one)\n        throws E {\n        throw new E();", 2, "of"),
    "C#": ("    internal async Task<int> ReadAsync(Stream s)\n    {\n        throw new E();", 2, "ReadAsync"),
    "C++": ("void Tensor::resize(int n) {\n  if (n < 0) {\n    throw E();", 2, "resize"),
    "C": ("static int\nread_all(FILE *f)\n{\n    fprintf(stderr, 1);", 3, "read_all"),
    "Ruby": ("  def self.find!(id)\n    raise E", 1, "find!"),
    "PHP": ("    public function get(string $id): ?A\n    {\n        throw new E();", 2, "get"),
    "Kotlin": ("    override fun String.load(x: Int): Int {\n        throw E()", 1, "load"),
    "Scala": ("  private def run[T](x: T): T = {\n    throw E", 1, "run"),
    "Swift": ("    public func load() throws {\n        throw E", 1, "load"),
}


@pytest.mark.parametrize("name", SNIPPETS)
def test_the_nearest_head_above(name: str) -> None:
    source, line, wanted = SNIPPETS[name]
    assert enclosing_function(source, line, name.split(" ", 1)[0]) == wanted


def test_a_language_without_forms_has_usual_ones() -> None:
    assert enclosing_function("func go()\n  fail", 1, "Zig") == "go"
    assert enclosing_function("", None, "") == ""


@given(st.text(max_size=300), st.none() | st.integers(-2, 9), st.sampled_from(sorted(SNIPPETS)))
def test_any_text_has_an_answer(source: str, line: int | None, language: str) -> None:
    assert len(enclosing_function(source, line, language)) <= 101


@pytest.mark.parametrize("language", ["Python", "JavaScript", "Java", "C++", "Go", "Rust", "Kotlin"])
@pytest.mark.parametrize("text", ["a " * 20_000, "(" * 20_000, "x<" * 20_000, "x::" * 20_000, "public " * 9_000])
def test_hostile_lines_cost_little(language: str, text: str) -> None:
    source = "\n".join([text] * 300 + ["    x"])
    began = time.process_time()
    enclosing_function(source, None, language)
    assert time.process_time() - began < 2

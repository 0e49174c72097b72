"""What is gone, and which slugs are refused: decided without a database."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from kb.imports.diff import find_gone
from kb.imports.slugs import refused_claims

IDS = st.sets(st.text("abcdef", min_size=1, max_size=3), max_size=30)


@given(
    IDS,
    st.dictionaries(st.text("abcdef", min_size=1, max_size=3), st.sampled_from("xyz"), max_size=30),
    st.sets(st.sampled_from("xyz")),
)
def test_gone_is_held_less_present(present: set[str], held: dict[str, str], unsure: set[str]) -> None:
    found = list(find_gone(sorted(present), sorted(held.items()), unsure=unsure))
    assert found == [(i, repo) for i, repo in sorted(held.items()) if i not in present and repo not in unsure]


def test_nothing_is_gone_when_any_repository_is_unsure() -> None:
    assert list(find_gone([], [("a", "x"), ("b", "y")], unsure={"", "z"})) == []


def test_a_slug_passes_on_when_its_owner_moves_or_goes() -> None:
    claims = {"a": ("r", "one"), "b": ("r", "two")}
    owners = {("r", "one"): "b", ("r", "two"): "c"}
    assert refused_claims(claims, owners, moving={"b": ("r", "two")}, gone={"c"}) == {}


def test_two_records_may_swap_their_slugs() -> None:
    claims = {"a": ("r", "two"), "b": ("r", "one")}
    owners = {("r", "one"): "a", ("r", "two"): "b"}
    assert refused_claims(claims, owners, moving={"a": ("r", "two"), "b": ("r", "one")}, gone=()) == {}


def test_a_refusal_makes_the_refused_record_keep_its_own_slug() -> None:
    # c stays on three, so b cannot move to three and stays on two, so a cannot have two.
    claims = {"a": ("r", "two"), "b": ("r", "three")}
    owners = {("r", "two"): "b", ("r", "three"): "c"}
    assert refused_claims(claims, owners, moving={"b": ("r", "three")}, gone=()) == {"a": "b", "b": "c"}


def test_an_owner_that_keeps_its_slug_keeps_it() -> None:
    assert refused_claims({"a": ("r", "one")}, {("r", "one"): "b"}, moving={"b": ("r", "one")}, gone=()) == {"a": "b"}


def test_refusals_are_followed_in_one_pass_whatever_their_order() -> None:
    count = 50_000
    owners = {("r", f"s{number}"): f"{number}" for number in range(count)}
    claims = {f"{number + 1}": ("r", f"s{number}") for number in reversed(range(count))}
    moving = {f"{number + 1}": ("r", f"s{number}") for number in range(count - 1)}
    refused = refused_claims(claims, owners, moving=moving, gone=())
    assert len(refused) == count  # record 0 stays, so 1 cannot have its slug, and so on
    assert refused_claims(claims, owners, moving=moving, gone={"0"}) == {}

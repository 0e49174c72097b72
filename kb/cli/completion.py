"""Scripts that complete the program's command lines in bash, zsh and fish, made from the commands' own parsers.

A script asks nothing while somebody types: starting the program for each press of a key would take too long.
"""

from __future__ import annotations

from argparse import Action, ArgumentParser, _SubParsersAction
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

__all__ = ["SHELLS", "CommandWords", "OptionWords", "words_of"]

# What Django gives every command and only those who work on it need.
_LEFT_OUT: Final = frozenset({"--settings", "--pythonpath", "--traceback", "--skip-checks", "--verbosity", "--version"})


@dataclass(frozen=True, kw_only=True)
class OptionWords:
    """One option: its longest name, what it does, what its value may be, and whether it takes one."""

    name: str
    help: str
    choices: tuple[str, ...] = ()
    takes_value: bool = False


@dataclass(frozen=True, kw_only=True)
class CommandWords:
    """One command: its name, what it does, its options, and the words that may follow it."""

    name: str
    help: str
    options: tuple[OptionWords, ...]
    words: tuple[str, ...] = ()


def words_of(name: str, help_text: str, parser: ArgumentParser) -> CommandWords:
    """What can be completed after a command; options of its subcommands count as its own."""
    actions = list(_actions(parser))
    options = {option.name: option for option in map(_option, actions) if option}
    words = [str(word) for action in actions if not action.option_strings for word in action.choices or ()]
    return CommandWords(name=name, help=_plain(help_text), options=tuple(options.values()), words=tuple(words))


def _actions(parser: ArgumentParser) -> Iterator[Action]:
    for action in parser._actions:  # noqa: SLF001 - argparse tells its actions in no other way
        yield action
        if isinstance(action, _SubParsersAction):
            for below in action.choices.values():
                yield from _actions(below)


def _option(action: Action) -> OptionWords | None:
    name = max(action.option_strings, key=len, default="")
    if not name or name in _LEFT_OUT:
        return None
    return OptionWords(
        name=name,
        help=_plain((action.help or "").replace("%%", "%").partition("(default")[0]),
        choices=tuple(str(choice) for choice in action.choices or ()),
        takes_value=action.nargs != 0,
    )


def _plain(text: str) -> str:
    """The first sentence, without characters that mean something to a shell or to its completion."""
    sentence = " ".join(text.split()).split(". ", 1)[0].rstrip(".")
    return "".join(char for char in sentence if char not in "'\"`$\\[]:{}")


# --- bash ------------------------------------------------------------------------------------------------------------


def _bash(commands: Sequence[CommandWords]) -> str:
    every = [(command, option) for command in commands for option in command.options]
    values = "\n".join(
        f"        '{command.name} {option.name}') words='{_joined(option.choices)}' ;;"
        for command, option in every
        if option.choices
    )
    files = "|".join(
        f"'{command.name} {option.name}'" for command, option in every if option.takes_value and not option.choices
    )
    cases = "\n".join(
        f"        {command.name}) options='{_joined(option.name for option in command.options)}'"
        f" words='{_joined(command.words)}' ;;"
        for command in commands
    )
    return f"""\
# bash completion for faultbook:  source <(faultbook completion bash)
_faultbook() {{
    local word="${{COMP_WORDS[COMP_CWORD]}}" command="${{COMP_WORDS[1]}}" options='' words='' place
    COMPREPLY=()
    if (( COMP_CWORD == 1 )); then
        COMPREPLY=($(compgen -W '{_joined(command.name for command in commands)}' -- "$word"))
        return
    fi
    for (( place = 2; place < COMP_CWORD; place++ )); do
        if [[ "${{COMP_WORDS[place]}}" == -- ]]; then
            if (( place + 1 == COMP_CWORD )); then COMPREPLY=($(compgen -c -- "$word")); fi
            return
        fi
    done
    case "$command ${{COMP_WORDS[COMP_CWORD - 1]}}" in
{values}
        {files}) return ;;
    esac
    if [[ -n "$words" ]]; then
        COMPREPLY=($(compgen -W "$words" -- "$word"))
        return
    fi
    case "$command" in
{cases}
    esac
    if [[ "$word" == -* ]]; then words="$options"; fi
    COMPREPLY=($(compgen -W "$words" -- "$word"))
}}
complete -o bashdefault -o default -F _faultbook faultbook
"""


# --- zsh -------------------------------------------------------------------------------------------------------------


def _zsh(commands: Sequence[CommandWords]) -> str:
    names = "\n".join(f"        '{command.name}:{command.help}'" for command in commands)
    cases = "\n".join(
        f"        {command.name})\n            _arguments -S {' '.join(_zsh_option(row) for row in command.options)}"
        f" '*:: :{_zsh_words(command)}' ;;"
        for command in commands
    )
    return f"""\
#compdef faultbook
# zsh completion for faultbook:  source <(faultbook completion zsh), or as _faultbook in a directory of $fpath
_faultbook() {{
    local -a names
    names=(
{names}
    )
    if (( CURRENT == 2 )); then
        _describe command names
        return
    fi
    local command=$words[2]
    shift words
    (( CURRENT-- ))
    case $command in
{cases}
    esac
}}
if [[ ${{funcstack[1]}} == _faultbook ]]; then _faultbook "$@"; else compdef _faultbook faultbook; fi
"""


def _zsh_option(option: OptionWords) -> str:
    if not option.takes_value:
        return f"'{option.name}[{option.help}]'"
    values = f"({_joined(option.choices)})" if option.choices else "_files"
    return f"'{option.name}=[{option.help}]:value:{values}'"


def _zsh_words(command: CommandWords) -> str:
    return f"({_joined(command.words)})" if command.words else "_files"


# --- fish ------------------------------------------------------------------------------------------------------------


def _fish(commands: Sequence[CommandWords]) -> str:
    return "\n".join(["# fish completion for faultbook:  faultbook completion fish | source", *_fish_lines(commands)])


def _fish_lines(commands: Sequence[CommandWords]) -> Iterator[str]:
    for command in commands:
        yield f"complete -c faultbook -n __fish_use_subcommand -f -a {command.name} -d '{command.help}'"
    for command in commands:
        after = f"complete -c faultbook -n '__fish_seen_subcommand_from {command.name}'"
        if command.words:
            yield f"{after} -a '{_joined(command.words)}'"
        for option in command.options:
            values = f" -x -a '{_joined(option.choices)}'" if option.choices else " -r" if option.takes_value else ""
            yield f"{after} -l {option.name.removeprefix('--')}{values} -d '{option.help}'"
    yield ""


# --- all of them -----------------------------------------------------------------------------------------------------

SHELLS: Final[Mapping[str, Callable[[Sequence[CommandWords]], str]]] = {"bash": _bash, "zsh": _zsh, "fish": _fish}
"""Shell → its script for these commands."""


def _names(command: CommandWords) -> Iterator[str]:
    return (option.name for option in command.options)


def _joined(words: Iterable[str]) -> str:
    return " ".join(words)

"""Every ``seihon`` command that a page shows exists, with those arguments and options."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator
from typing import Any

import pytest
from tests.docs import pages
from tests.docs.pages import Page

from seihon.entry.cli import failing
from seihon.entry.cli.app import application
from seihon.errors import InvalidArgument

_VARIABLE = re.compile(r"[A-Z_]+=.*")
_ENDS = {"|", ";", "&&", "||", ">", ">>", "<", "&", "(", ")"}


def commands(text: str) -> Iterator[list[str]]:
    """The arguments of each ``seihon`` command in a block of shell."""
    lexer = shlex.shlex(
        text.replace("\\\n", " ").replace("\n", " ; "), posix=True, punctuation_chars="|;&<>()"
    )
    lexer.whitespace_split = True
    lexer.commenters = ""
    words: list[str] = []
    for word in [*_without_comments(lexer), ";"]:
        if word not in _ENDS:
            words.append(word)
            continue
        while words and _VARIABLE.fullmatch(words[0]):
            words.pop(0)
        if words and words[0].rpartition("/")[2] == "seihon":
            yield words[1:]
        words = []


def _without_comments(words: Iterator[str]) -> Iterator[str]:
    comment = False
    for word in words:
        comment = (comment or word.startswith("#")) and word != ";"
        if not comment:
            yield word


def parse(arguments: list[str]) -> None:
    """Let the application parse a command without running it.

    Raises:
        InvalidArgument: there is no such command, argument or option.
    """
    app = application()
    _disarm(app)
    try:
        app.main(args=arguments, prog_name="seihon", standalone_mode=False)
    except Exception as error:
        raise failing.as_refusal(error) from error


def _disarm(command: Any) -> None:
    command.callback = _nothing
    for below in getattr(command, "commands", {}).values():
        _disarm(below)


def _nothing(**_: object) -> None:
    return None


SHELL = [page for page in pages.all_pages() if page.of("sh")]


@pytest.mark.parametrize("page", SHELL, ids=lambda page: page.name)
def test_every_command_of_a_page_can_be_parsed(page: Page) -> None:
    for block in page.of("sh"):
        for arguments in commands(block.text):
            parse(arguments)


def test_commands_are_found_in_a_block_of_shell() -> None:
    block = (
        "A=1 seihon search ann 'x | y' --json | head  # seihon none\n"
        "pip install .\n"
        "bin/seihon export ann \\\n  --kind person > out\n"
    )
    assert list(commands(block)) == [
        ["search", "ann", "x | y", "--json"],
        ["export", "ann", "--kind", "person"],
    ]


@pytest.mark.parametrize("wrong", [["nothing"], ["search", "ann"], ["search", "ann", "x", "--none"]])
def test_a_command_that_is_not_there_is_found_out(wrong: list[str]) -> None:
    with pytest.raises(InvalidArgument):
        parse(wrong)

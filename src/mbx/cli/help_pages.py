"""The pages of `--help`: verbs and options in groups, and an example of each verb.

Rich is not imported for them: `mbx --help` costs little more than typer.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Final

from typer.core import TyperCommand, TyperGroup

from mbx.base.diagnostics import nearest
from mbx.cli.option_table import GROUPS
from mbx.cli.progress import watch

if TYPE_CHECKING:
    from typer._click import Command, Context, HelpFormatter

__all__ = ["LongVerb", "Verb", "VerbGroup"]

_GENERAL: Final = "Options"
_BOTH: Final = re.compile(r"([0-9.]+)<=x<=([0-9.]+)")
_LEAST: Final = re.compile(r"x>=([0-9.]+)")
"""How typer writes the bounds of a number."""


class Verb(TyperCommand):
    """A verb whose options stand in groups, with examples at the end."""

    def collect_usage_pieces(self, ctx: Context) -> list[str]:
        """Return the words of the usage, without typer's braces about what is required."""
        return [re.sub(r"\{([^{}|]*)\}", r"\1", x) for x in super().collect_usage_pieces(ctx)]

    def format_options(self, ctx: Context, formatter: HelpFormatter) -> None:
        """Write arguments, and options group by group."""
        _write_parameters(self, ctx, formatter)

    def format_epilog(self, ctx: Context, formatter: HelpFormatter) -> None:  # noqa: ARG002
        """Write the examples, a line each."""
        _write_examples(self.epilog, formatter)


class LongVerb(Verb):
    """A verb that may take longer than a second, and shows a bar then."""

    def invoke(self, ctx: Context) -> Any:
        """Run the verb."""
        with watch():
            return super().invoke(ctx)


class VerbGroup(TyperGroup):
    """Verbs in groups; a verb that does not exist is met with the nearest one."""

    def format_options(self, ctx: Context, formatter: HelpFormatter) -> None:
        """Write the options, and the verbs group by group."""
        _write_parameters(self, ctx, formatter)
        groups: dict[str, list[tuple[str, Any]]] = {}
        for name, verb in self.commands.items():
            title = getattr(verb, "rich_help_panel", None) or "Commands"
            groups.setdefault(title, []).append((name, verb))
        width = max(map(len, self.commands), default=0)
        for title, verbs in groups.items():
            with formatter.section(title):
                limit = formatter.width - width - 4
                formatter.write_dl(
                    [(f"{name:<{width}}", verb.get_short_help_str(limit)) for name, verb in verbs]
                )

    def format_epilog(self, ctx: Context, formatter: HelpFormatter) -> None:  # noqa: ARG002
        """Write the examples, a line each."""
        _write_examples(self.epilog, formatter)

    def resolve_command(
        self, ctx: Context, args: list[str]
    ) -> tuple[str | None, Command | None, list[str]]:
        """Return the verb that is named; suggest one where there is none of this name."""
        name = args[0]
        if name in self.commands or name.startswith("-"):
            return super().resolve_command(ctx, args)
        begin = [verb for verb in self.commands if verb.startswith(name)]
        near = nearest(name, list(self.commands))
        suggested = begin or ([near] if near else [])
        if suggested:
            hint = f"; did you mean {' or '.join(map(repr, suggested))}?"
        else:
            hint = f"; {ctx.command_path} --help lists them"
        return ctx.fail(f"no such command '{name}'{hint}")


def _write_parameters(verb: Command, ctx: Context, formatter: HelpFormatter) -> None:
    sections: dict[str, list[tuple[str, str]]] = {"Arguments": []}
    sections |= {group: [] for group in GROUPS}
    for parameter in verb.get_params(ctx):
        record = parameter.get_help_record(ctx)
        if record is None:
            continue
        name, text = record[0], _BOTH.sub(r"\1 to \2", _LEAST.sub(r"at least \1", record[1]))
        if parameter.param_type_name == "argument":
            text = text.replace("  [required]", "")  # the usage shows what may be left out
            sections["Arguments"].append((parameter.metavar or name, text))
        else:
            title = getattr(parameter, "rich_help_panel", None) or _GENERAL
            sections.setdefault(title, []).append((name, text))
    for title, rows in sections.items():
        if rows:
            with formatter.section(title):
                formatter.write_dl(rows)


def _write_examples(examples: str | None, formatter: HelpFormatter) -> None:
    if examples:
        lines = examples.split("\n")
        with formatter.section("Examples" if lines[1:] else "Example"):
            for line in lines:
                formatter.write(f"  {line}\n")

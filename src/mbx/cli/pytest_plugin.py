"""`pytest --mbx`: every model file is checked, and the forms of its models are compared.

A file `X.mb` has the tests `X.mb::check` and, for each model that is no part of another model of
the file, `X.mb::verify[MODEL]`. Of a library case, `case.toml` is read as well. Without `--mbx`
nothing happens, and nothing but this module is imported.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from mbx.base.diagnostics import Report
    from mbx.language.document.document import Document

__all__ = ["pytest_addoption", "pytest_collect_file", "pytest_configure"]


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the options, and the settings for `pyproject.toml` or `pytest.ini`."""
    group = parser.getgroup("mbx", "multibody models")
    group.addoption("--mbx", action="store_true", help="check and verify .mb files")
    group.addoption(
        "--mbx-states", type=int, metavar="N", help="random states to verify at; else 16"
    )
    group.addoption(
        "--mbx-forms", metavar="FORM,FORM", help="forms to compare; else all that apply"
    )
    parser.addini("mbx_states", "random states to verify at", default="16")
    parser.addini("mbx_forms", "forms to compare; else all that apply", type="args", default=[])


def pytest_configure(config: pytest.Config) -> None:
    """Make the mark known that all of these tests have."""
    config.addinivalue_line("markers", "mbx: a test of a model file, by pytest --mbx")
    if config.getoption("mbx"):
        # before NumPy is imported: matrices are small here, and threads wait for each other
        os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")


def pytest_collect_file(file_path: Path, parent: pytest.Collector) -> ModelFile | None:
    """Collect model files."""
    if file_path.suffix == ".mb" and parent.config.getoption("mbx"):
        return ModelFile.from_parent(parent, path=file_path)
    return None


class ModelFile(pytest.File):
    """A model file: a test that checks it, and a test for each model that verifies it."""

    def collect(self) -> Iterator[pytest.Item]:
        """Yield the tests; of a file that cannot be read, only the test that will report it."""
        import mbx  # nothing is imported without --mbx
        from mbx.base.errors import SourceError
        from mbx.verify.find_models import main_models

        yield CheckItem.from_parent(self, name="check")
        try:
            names = main_models(mbx.read(self.path))
        except SourceError:
            return
        for name in names:
            if name is not None:
                yield VerifyItem.from_parent(self, name=f"verify[{name}]", model=name)


class ModelTestError(Exception):
    """What is wrong with a model, as a text for people."""


class _Item(pytest.Item):
    """A test whose failure is a text, without a traceback."""

    def __init__(self, **options: Any) -> None:
        super().__init__(**options)
        self.add_marker("mbx")

    def repr_failure(self, excinfo: pytest.ExceptionInfo[BaseException], style: Any = None) -> Any:
        """Return what is wrong with the model; the traceback of any other error."""
        if isinstance(excinfo.value, ModelTestError):
            return str(excinfo.value)
        return super().repr_failure(excinfo, style)

    def reportinfo(self) -> tuple[Path, int | None, str]:
        """Return the file, and what is done with it."""
        return self.path, None, self.name  # pytest takes dots in it for the steps of a path


class CheckItem(_Item):
    """Whether a file has errors, and whether a case is complete."""

    def runtest(self) -> None:
        """Check all models of the file."""
        import mbx

        report = mbx.check(_document(self.path))
        if not report.ok:
            raise ModelTestError(_render(report))
        if self.path.with_name("case.toml").exists():
            self._check_case()

    def _check_case(self) -> None:
        from mbx.base.errors import FileError
        from mbx.linking.library import read_case

        try:
            read_case(self.path.parent)
        except FileError as bad:
            raise ModelTestError(_render(bad.report)) from None


class VerifyItem(_Item):
    """Whether the forms of a model agree."""

    def __init__(self, model: str, **options: Any) -> None:
        """Keep the name of the model."""
        super().__init__(**options)
        self.model = model

    def runtest(self) -> None:
        """Verify the model."""
        import mbx
        from mbx.base.errors import ConverterError, SourceError

        states, forms = _settings(self.config)
        try:
            verification = mbx.verify(
                _document(self.path), model=self.model, forms=forms, states=states
            )
        except SourceError as bad:
            raise ModelTestError(_render(bad.report)) from None
        except ConverterError as unknown:
            raise ModelTestError(f"{unknown}\n  help: mbx forms lists all forms") from None
        reasons = {form.status for form in verification.excluded}
        if not verification.forms and reasons == {"not applicable"}:
            pytest.skip("; ".join(f"{form.name}: {form.reason}" for form in verification.excluded))
        if not verification.ok:
            raise ModelTestError(_safe("\n".join([f"{self.path}:", *verification.lines()])))


def _settings(config: pytest.Config) -> tuple[int, list[str]]:
    """Return how many states, and which forms; an option comes before a setting."""
    states = config.getoption("mbx_states")
    text = str(config.getini("mbx_states")) if states is None else str(states)
    if not text.isdigit() or not 1 <= int(text) <= 10_000:  # noqa: PLR2004  as the command has it
        raise pytest.UsageError(f"mbx_states is '{text}', and must be from 1 to 10000")
    chosen = config.getoption("mbx_forms")
    forms = config.getini("mbx_forms") if chosen is None else chosen.split(",")
    return int(text), [name.strip() for form in forms for name in form.split(",") if name.strip()]


def _document(path: Path) -> Document:
    import mbx
    from mbx.base.errors import SourceError

    try:
        return mbx.read(path)
    except SourceError as bad:
        raise ModelTestError(_render(bad.report)) from None


def _render(report: Report) -> str:
    return _safe(report.render())


def _safe(text: str) -> str:
    from mbx.base.diagnostics import safe_text

    return "\n".join(map(safe_text, text.split("\n")))

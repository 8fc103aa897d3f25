"""The command, as `mbx` and as `python -m mbx`."""

from __future__ import annotations

import gc
import signal
import sys
from typing import Final

from mbx.base.process import SIGNALS, leave, stop_workers

__all__ = ["main"]

_OBJECTS: Final = 200_000
"""Objects between two searches for cycles: graphs have none, and the process is ours."""


def main() -> int:
    """Run the command; an interrupt while it is loaded ends it without a traceback."""
    gc.set_threshold(_OBJECTS)
    for number in SIGNALS:
        if signal.getsignal(number) is not signal.SIG_IGN:
            signal.signal(number, leave)
    from mbx.cli.main import main as run  # after signals are handled

    status = run()
    stop_workers(status)
    return status


if __name__ == "__main__":
    sys.exit(main())

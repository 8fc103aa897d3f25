"""The command, as `python -m mbx`."""

from __future__ import annotations

import sys

from mbx.cli.main import main

if __name__ == "__main__":
    sys.exit(main())

"""``python -m seihon.entry.cli`` is the command line without its console script."""

from __future__ import annotations

import sys

from seihon.entry.cli import main

sys.exit(main())

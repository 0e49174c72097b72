#!/usr/bin/env python
"""The program ``faultbook`` under Django's usual name, for a checkout."""

from __future__ import annotations

import sys

from kb.cli.program import main

if __name__ == "__main__":
    sys.exit(main())

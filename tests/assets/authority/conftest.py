"""Makes the payloads of the tests of derive known here: standing is read off the same objects."""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.append(str(Path(__file__).parents[1] / "derive"))

"""Makes the payloads of the tests of derive known here: what is kept current is what derive reads."""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.append(str(Path(__file__).parents[2] / "derive"))

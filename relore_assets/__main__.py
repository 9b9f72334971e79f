"""``python -m relore_assets`` is `relored`, with the interpreter chosen."""

from relore_assets.cli import main

main()

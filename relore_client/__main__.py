"""``python -m relore_client`` is ``relore``."""

from relore_client.cli import main

if __name__ == "__main__":
    main()

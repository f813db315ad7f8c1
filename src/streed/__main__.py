"""``python -m streed`` is the command ``streed``."""

import sys

from streed.cli import main

if __name__ == "__main__":
    sys.exit(main())

"""The command line: parses, calls the package, prints. Decides nothing.

Modules here import little: ``survtree --help`` must not wait for what it does not need.
"""

import os
import signal
import sys

from survtree._cli import app as _app
from survtree._cli import data, fit, models, path  # noqa: F401  (they add their commands)
from survtree._cli.errors import DEBUG

app = _app.app


def main() -> None:
    """Entry point of the ``survtree`` command."""
    if hasattr(signal, "SIGPIPE"):  # `survtree demo | head` ends as other commands do
        signal.signal(signal.SIGPIPE, signal.SIG_DFL)
    if "--debug" in sys.argv[1:]:  # wherever it stands
        os.environ[DEBUG] = "1"
        sys.argv[1:] = [each for each in sys.argv[1:] if each != "--debug"]
    app()

"""The command line: parses, calls the package, prints. Decides nothing.

``fit.py`` has the commands that start from a table, ``models.py`` those that start from a model or
a proof, ``data.py`` the data sets, the demo and replays. Modules here import little:
``survtree --help`` must not wait for what it does not need.
"""

import signal
import sys

from survtree._cli import data, fit, models
from survtree._cli.app import add_commands, app, datasets_app

# In the order of --help.
add_commands(
    app,
    {
        "demo": data.demo,
        "fit": fit.fit,
        "tune": fit.tune,
        "path": fit.path,
        "predict": models.predict,
        "evaluate": models.evaluate,
        "show": models.show,
        "export": models.export,
        "report": models.report,
        "verify": models.verify,
        "check-proof": models.check_proof,
        "replay": data.replay,
    },
)
add_commands(
    datasets_app,
    {"list": data.list_datasets, "save": data.save_dataset, "fetch": data.fetch_datasets},
)


def main() -> None:
    """Entry point of the ``survtree`` command."""
    if hasattr(signal, "SIGPIPE"):  # `survtree demo | head` ends as other commands do
        signal.signal(signal.SIGPIPE, signal.SIG_DFL)
    words = sys.argv[1:]
    if "--debug" in words:  # an option of all commands, wherever it is typed
        sys.argv[1:] = ["--debug", *(word for word in words if word != "--debug")]
    app()

"""A log handler that keeps a bar below its lines, in a terminal or in a notebook.

rich and IPython are imported only where a bar is shown.
"""

import logging
import os
import signal
import sys
import threading
from abc import ABC, abstractmethod
from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module
from io import StringIO
from typing import Any, TextIO

BAR_WIDTH = 16
NOTEBOOK_WIDTH = 110


class LiveBar(logging.Handler, ABC):
    """A handler whose lines appear above a bar; closing it removes the bar, the lines stay."""

    @abstractmethod
    def show(self, share: float, words: str) -> None:
        """Draw the bar, filled by a share of 0 to 1, with words beside it."""


def live_bar(stream: TextIO) -> LiveBar | None:
    """A handler with a bar for the notebook or the terminal behind a stream, if there is one."""
    if _is_notebook():
        return NotebookBar()
    if is_terminal(stream) and os.environ.get("TERM") not in ("dumb", "unknown"):
        return TerminalBar(stream)
    return None


def is_terminal(stream: TextIO | None) -> bool:
    """Whether a stream is a terminal. It may be None, closed, or any object with write."""
    try:
        return stream is not None and stream.isatty()
    except (AttributeError, ValueError):
        return False


def _is_notebook() -> bool:
    get_ipython = getattr(sys.modules.get("IPython"), "get_ipython", None)
    return get_ipython is not None and getattr(get_ipython(), "kernel", None) is not None


class TerminalBar(LiveBar):
    """Lines and bar of a terminal."""

    def __init__(self, stream: TextIO) -> None:
        from rich.console import Console
        from rich.live import Live

        super().__init__()
        self._console = Console(file=stream, highlight=False)
        self._live = Live(
            console=self._console,
            auto_refresh=False,
            transient=True,
            # What a callback prints goes above the bar; to a file or a pipe it must go untouched.
            redirect_stdout=is_terminal(sys.stdout),
            redirect_stderr=is_terminal(sys.stderr),
        )

    def emit(self, record: logging.LogRecord) -> None:
        """Print a line above the bar; the terminal wraps it, so that copies of it are whole."""
        try:
            self._console.print(self.format(record), soft_wrap=True, markup=False, emoji=False)
        except Exception:
            self.handleError(record)

    def show(self, share: float, words: str) -> None:
        """Draw the bar; from now on the cursor is hidden."""
        with _ctrl_c_waits():
            self._live.start()
            self._live.update(_bar(share, words), refresh=True)

    def close(self) -> None:
        """Remove the bar and show the cursor again."""
        with _ctrl_c_waits():
            self._live.stop()
        super().close()


@contextmanager
def _ctrl_c_waits() -> Iterator[None]:
    """Ctrl-C counts at the end only: rich does not survive it halfway through setting up a bar."""
    handler, pressed = signal.getsignal(signal.SIGINT), list[tuple[Any, ...]]()
    if not callable(handler) or threading.current_thread() is not threading.main_thread():
        yield
        return
    signal.signal(signal.SIGINT, lambda *given: pressed.append(given))
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, handler)
    if pressed:
        handler(*pressed[0])


class NotebookBar(LiveBar):
    """Lines and bar in one output of a notebook's cell, which is drawn anew."""

    def __init__(self) -> None:
        super().__init__()
        self._lines: list[str] = []
        self._bar = ""
        self._output: Any = None

    def emit(self, record: logging.LogRecord) -> None:
        """Add a line."""
        self._lines.append(self.format(record))
        self._draw()

    def show(self, share: float, words: str) -> None:
        """Draw the bar below the lines."""
        from rich.console import Console

        text = StringIO()
        console = Console(file=text, width=NOTEBOOK_WIDTH, force_jupyter=False)
        console.print(_bar(share, words))
        self._bar = text.getvalue().rstrip()
        self._draw()

    def close(self) -> None:
        """Leave the lines alone."""
        self._bar = ""
        if self._output is not None:
            self._draw()
        super().close()

    def _draw(self) -> None:
        text = {"text/plain": "\n".join([*self._lines, self._bar]).rstrip()}
        if self._output is None:
            show = import_module("IPython.display").display
            self._output = show(text, raw=True, display_id=True)
        else:
            self._output.update(text, raw=True)


def _bar(share: float, words: str) -> Any:
    """One line at any width: what does not fit beside the bar is cut off."""
    from rich.progress_bar import ProgressBar
    from rich.table import Table
    from rich.text import Text

    row = Table.grid(padding=(0, 1))
    row.add_column(width=BAR_WIDTH)
    row.add_column(no_wrap=True, overflow="ellipsis")
    row.add_row(ProgressBar(total=1.0, completed=share, width=BAR_WIDTH), Text(words))
    return row

"""How a fit went."""

from typing import NamedTuple

from ._errors import printable


class Note(NamedTuple):
    code: str
    text: str
    warns: bool = True  # a warning when it was made


class Report:
    """How a fit went.

    Attributes
    ----------
    iterations : int
        Updates of the model.
    converged : bool
        Whether it stopped by its own rule, not at ``max_iter``.
    closed_form : bool
        Whether a formula gave it, without iterations.
    objective : float
        Of the model returned; higher is better.
    trace : ndarray
        The objective of every pass over the data, and in k-means after every update too; the last
        one is that of the model returned.
    start_traces : tuple of ndarray
        The traces of all starts, where ``n_init`` asked for several; one of them is ``trace``.
    half_steps : ndarray of shape (n, 2)
        Of EM, after every E-step and every M-step: the expected log-likelihood of rows and hidden
        labels, and the entropy of the labels, mean a row. Their sum is the bound that EM climbs.
        No rows where a model does not record it.
    notes : tuple of Note
        Things to know, each with a stable ``code`` and a ``text``; whether it ``warns``.
    """

    def __init__(
        self,
        iterations,
        converged,
        objective,
        trace,
        start_traces,
        half_steps,
        notes,
        closed_form=False,
    ):
        self.iterations = iterations
        self.converged = converged
        self.closed_form = closed_form
        self.objective = objective
        self.trace = frozen(trace)
        self.start_traces = tuple(frozen(trace) for trace in start_traces)
        self.half_steps = frozen(half_steps)
        self.notes = tuple(Note(*note) for note in notes)

    def __repr__(self):
        notes = "".join(f"\n  {note.code}: {printable(note.text)}" for note in self.notes)
        return f"<{self._course()}, objective {self.objective:.6g}{notes}>"

    def _course(self):
        """As the shell tells it."""
        if self.closed_form:
            return "in closed form"
        if self.converged and self.iterations == 0:
            return "converged at the start"
        iterations = f"{self.iterations} iteration{'s' * (self.iterations != 1)}"
        if self.converged:
            return f"converged after {iterations}"
        return f"stopped after {iterations}, not converged"


def frozen(value):
    if not isinstance(value, str):
        value.flags.writeable = False  # changing a copy would not change the model
    return value

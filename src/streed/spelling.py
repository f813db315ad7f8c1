"""What an unknown name probably means."""

from __future__ import annotations

import difflib
from collections.abc import Iterable

ALIASES = {
    "mse": "squared_error",
    "l2": "squared_error",
    "ls": "squared_error",
    "friedmanmse": "squared_error",
    "regression": "squared_error",
    "mae": "absolute_error",
    "l1": "absolute_error",
    "median": "absolute_error",
    "pinball": "quantile",
    "misclassification": "accuracy",
    "error": "accuracy",
    "zeroone": "accuracy",
    "crossentropy": "log_loss",
    "deviance": "log_loss",
    "matthews": "mcc",
    "matthewscorrcoef": "mcc",
    "fscore": "f1",
    "fmeasure": "f1",
    "geometricmean": "g_mean",
    "statisticalparity": "demographic_parity",
    "dp": "demographic_parity",
    "eo": "equalized_odds",
    "ips": "inverse_propensity",
    "ipw": "inverse_propensity",
    "dr": "doubly_robust",
    "aipw": "doubly_robust",
    "dm": "direct",
}
"""Other words for objectives, losses, constraints and teachers, in small letters and without underscores."""


def did_you_mean(given: object, known: Iterable[str]) -> str:
    """End a message about an unknown name with the known one that is meant, if one is like it.

    Examples
    --------
    >>> from streed.spelling import did_you_mean
    >>> did_you_mean("acuracy", ["accuracy", "f1"]), did_you_mean("MSE", ["squared_error"])
    ("; did you mean 'accuracy'?", "; did you mean 'squared_error'?")
    >>> did_you_mean("balanced", ["accuracy", "balanced_accuracy"])
    "; did you mean 'balanced_accuracy'?"
    """
    names = list(known)
    if not isinstance(given, str):
        return ""
    text = given.lower().replace("-", "_").replace(" ", "_")
    alias = ALIASES.get(text.replace("_", ""), "")
    begun = [name for name in names if len(text) > 2 and name.startswith(text)]
    found = [alias] if alias in names else begun or difflib.get_close_matches(text, names, 1, 0.7)
    return f"; did you mean {found[0]!r}?" if found else ""

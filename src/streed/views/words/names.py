"""Long names cut short, so that what tells them apart stays."""

from __future__ import annotations

from collections.abc import Callable, Iterable


class Names:
    """Names of columns that are shown side by side.

    Examples
    --------
    >>> names = Names(["mean intensity of the red channel", "mean intensity of the blue channel", "age"])
    >>> names.short("mean intensity of the red channel", 20), names.short("age", 20)
    ('mean int…red channel', 'age')
    >>> Names(["something that is long"]).short("something that is long", 12)
    'someth… long'
    """

    def __init__(self, names: Iterable[str]) -> None:
        self._names = sorted(set(names))
        self._known: dict[int, dict[str, str]] = {}

    def short(self, name: str, most: int) -> str:
        """Return a name of at most `most` characters; no two of the names become the same one.

        The middle is left out. Where names begin with the same word, what they have in common is left out
        first. Names that are the same nevertheless are numbered.
        """
        if len(name) <= most:
            return name
        if most not in self._known:
            self._known[most] = self._shortened(most)
        return self._known[most].get(name, _middle(name, most))

    def _shortened(self, most: int) -> dict[str, str]:
        own = {name: self._without_common(name, most) for name in self._names}
        if _distinct(own):
            return own
        room = max(most - 1, 1)  # the ellipsis moves to where names differ
        heads = sorted(range(room + 1), key=lambda head: abs(2 * head - room))
        for head in heads:
            found = self._each(lambda name, head=head: _middle(name, most, head), most)  # type: ignore[misc]
            if _distinct(found):
                return found
        return _numbered(own, most)

    def _each(self, cut: Callable[[str], str], most: int) -> dict[str, str]:
        return {name: name if len(name) <= most else cut(name) for name in self._names}

    def _without_common(self, name: str, most: int) -> str:
        """Leave out of a name what all names with the same first word begin and end with."""
        family = [other for other in self._names if _first(other) == _first(name)]
        if len(name) <= most or len(family) < 2:
            return _middle(name, most)
        begin = _common(family)
        begin = name[:begin].rfind(" ") + 1  # whole words
        rest = [other[begin:] for other in family]
        end = _common([other[::-1] for other in rest])
        tail = name[len(name) - end :] if end else ""
        end = len(tail) - tail.find(" ") if " " in tail else 0
        core = name[begin : len(name) - end].strip()
        room = most - len(core) - 2
        if room < 0:
            return _middle(core, most)
        head, tail = name[:begin].strip(), name[len(name) - end :].strip() if end else ""
        for_tail = min(len(tail), room // 2)
        head = _cut_end(head, room - for_tail)
        return head + core + _cut_begin(tail, most - len(head) - len(core))


def _common(texts: list[str]) -> int:
    """Return how many characters all texts begin with."""
    low, high = min(texts), max(texts)
    ends = (k for k, pair in enumerate(zip(low, high, strict=False)) if pair[0] != pair[1])
    return next(ends, min(len(low), len(high)))


def _first(name: str) -> str:
    return name.split(" ", 1)[0]


def _cut_end(text: str, most: int) -> str:
    """Return a text before another one, with an ellipsis where it is cut."""
    if not text:
        return ""
    return text + " " if len(text) < most else text[:most].rstrip() + "…"


def _cut_begin(text: str, most: int) -> str:
    """Return a text after another one, with an ellipsis where it is cut."""
    if not text:
        return ""
    return " " + text if len(text) < most else "…" + text[len(text) - most + 1 :].lstrip() * (most > 1)


def _middle(name: str, most: int, head: int | None = None) -> str:
    """Leave out the middle of a name; `head` characters stay before it."""
    if len(name) <= most:
        return name
    room = max(most - 1, 1)
    head = (room + 1) // 2 if head is None else head
    return f"{name[:head]}…{name[len(name) - room + head :]}"


def _distinct(found: dict[str, str]) -> bool:
    return len(set(found.values())) == len(found)


def _numbered(found: dict[str, str], most: int) -> dict[str, str]:
    """Add numbers to names that are the same."""
    all_names, seen = list(found.values()), dict.fromkeys(found.values(), 0)
    numbered = {}
    for name, short in found.items():
        seen[short] += 1
        number = f" ({seen[short]})" if all_names.count(short) > 1 else ""
        numbered[name] = short[: max(1, most - len(number))] + number if number else short
    return numbered

"""The page "Write your own task": its table is that of the registry, its tasks are short."""

from __future__ import annotations

import re

import streed
from tests.support import ROOT

PAGE = (ROOT / "docs" / "own-tasks.md").read_text(encoding="utf-8")


def test_table_is_derived_from_the_registry() -> None:
    table = re.search(
        r"<!-- table of tasks: streed.tasks.table\(\) -->\n(.*?)\n<!-- end of table -->", PAGE, re.S
    )
    assert table is not None
    assert table[1] == streed.tasks.table()


def test_worked_tasks_are_short() -> None:
    tasks = [block for block in re.findall(r"```python\n(.*?)```", PAGE, re.S) if "\nclass " in f"\n{block}"]
    assert len(tasks) >= 3
    assert all(len(block.strip().splitlines()) < 30 for block in tasks)

"""An optimal tree for the breast cancer data of scikit-learn, with the proof that no better one exists.

Prints the tree, what was proven and the work it took, draws the tree into demo-tree.png, and
writes an interactive page, demo-tree.html.
"""

from __future__ import annotations

from pathlib import Path

from sklearn.datasets import load_breast_cancer

import streed

PICTURE = Path("demo-tree.png")
PAGE = Path("demo-tree.html")


def main() -> None:
    """Fit, report, draw."""
    data = load_breast_cancer(as_frame=True)
    model = streed.OptimalTreeClassifier(max_depth=3).fit(data.data, data.target_names[data.target])
    result = model.result_

    print(f"Breast cancer: {len(data.data)} rows, {data.data.shape[1]} numeric columns,", end=" ")
    print(f"{result.note}\n")
    print(model.tree_.to_text())
    print("\nThe best tree of depth 3:")
    print(f"  errors          {result.objective:g} of {len(data.data)}")
    print(f"  lower bound     {result.lower_bound:g} (no such tree has fewer)")
    print(f"  gap             {result.gap:.1%}")
    print(f"  status          {result.status}")
    print(f"  seconds         {result.seconds:.4f}")
    print("Work of the search:")
    for name in ("depth_two_solves", "nodes", "cache_hits", "peak_memory"):
        print(f"  {name.replace('_', ' '):<17} {result.statistics[name]:,.0f}")

    proof = f"{result.status} (lower bound {result.lower_bound:g})"
    title = f"Breast cancer: {result.objective:g} errors in {len(data.data)} rows, {proof}"
    model.tree_.plot(title=title).figure.savefig(PICTURE, dpi=130)
    PAGE.write_text(result.to_html(title=title), encoding="utf-8")
    print(f"\nPicture: {PICTURE}, interactive page: {PAGE}")


if __name__ == "__main__":
    main()

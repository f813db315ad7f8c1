"""An optimal tree for the breast cancer data of scikit-learn, with the proof that no better one exists.

Prints the tree, what was proven and the work it took, and draws the tree into demo-tree.png.
"""

from __future__ import annotations

from pathlib import Path

from matplotlib.figure import Figure
from sklearn.datasets import load_breast_cancer

import streed

COLORS = ("#2f7f86", "#c8553d", "#d9a441", "#6b5b95")
PICTURE = Path("demo-tree.png")


def main() -> None:
    """Fit, report, draw."""
    data = load_breast_cancer(as_frame=True)
    model = streed.OptimalTreeClassifier(max_depth=3).fit(data.data, data.target_names[data.target])
    result = model.result_

    print(f"Breast cancer: {len(data.data)} rows, {data.data.shape[1]} numeric columns,", end=" ")
    print(f"binarised into {model.tree_.n_features} conditions\n")
    print(model.tree_.to_text())
    print("\nThe best tree of depth 3 over these conditions:")
    print(f"  errors          {result.objective:g} of {len(data.data)}")
    print(f"  lower bound     {result.lower_bound:g} (no such tree has fewer)")
    print(f"  gap             {result.gap:.1%}")
    print(f"  status          {result.status}")
    print(f"  seconds         {result.seconds:.4f}")
    print("Work of the search:")
    for name in ("depth_two_solves", "nodes", "cache_hits", "pruned_bound", "peak_memory"):
        print(f"  {name.replace('_', ' '):<17} {result.statistics[name]:,.0f}")

    proof = f"{result.status} (lower bound {result.lower_bound:g})"
    draw(model.tree_, f"{result.objective:g} errors in {len(data.data)} rows, {proof}", PICTURE)
    print(f"\nPicture: {PICTURE}")


def draw(tree: streed.Tree, title: str, path: Path) -> None:
    """Draw a tree: leaves side by side, every node above the middle of its children."""
    places: dict[int, tuple[float, float]] = {}

    def place(node: int, level: int, leaves: int) -> int:
        """Place a subtree whose first leaf is number `leaves`; return the number after its last leaf."""
        if tree.feature[node] < 0:
            places[node] = (leaves, -level)
            return leaves + 1
        children = int(tree.left[node]), int(tree.right[node])
        for child in children:
            leaves = place(child, level + 1, leaves)
        places[node] = (sum(places[child][0] for child in children) / 2, -level)
        return leaves

    n_leaves = place(0, 0, 0)
    figure = Figure(figsize=(1.5 * n_leaves, 1.4 * (tree.depth + 1)), layout="constrained")
    axes = figure.add_subplot()
    for node, (x, y) in places.items():
        if tree.feature[node] < 0:
            label, weights = int(tree.label[node]), tree.class_weights[node]
            text = f"{tree.classes[label]}\n{weights[label]:g} of {weights.sum():g}"
            style = {"facecolor": COLORS[label % len(COLORS)], "edgecolor": "none"}
        else:
            text = tree.feature_name(int(tree.feature[node])).replace(" <= ", "\n≤ ")
            style = {"facecolor": "#f5f7fa", "edgecolor": "#7b8794"}
            for child, answer in ((int(tree.left[node]), "no"), (int(tree.right[node]), "yes")):
                a, b = places[child]
                middle = (x + a) / 2, (y + b) / 2
                axes.plot([x, a], [y, b], color="#9aa5b1", linewidth=1.6, zorder=1)
                gap = {"facecolor": "white", "edgecolor": "none", "pad": 1.5}
                axes.text(*middle, answer, ha="center", va="center", fontsize=9, color="#52606d", bbox=gap)
        box = {"boxstyle": "round,pad=0.55", "linewidth": 1.2, **style}
        ink = "white" if tree.feature[node] < 0 else "#1f2933"
        axes.text(x, y, text, ha="center", va="center", fontsize=10, color=ink, bbox=box, zorder=3)
    axes.set(xlim=(-0.6, n_leaves - 0.4), ylim=(-tree.depth - 0.25, 0.25))
    axes.set_title(title, fontsize=12, color="#1f2933", pad=10)
    axes.axis("off")
    figure.savefig(path, dpi=130)


if __name__ == "__main__":
    main()

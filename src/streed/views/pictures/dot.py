"""A tree in the DOT language of Graphviz."""

from __future__ import annotations

from streed.tree.tree import Tree
from streed.views.palette import INK, Colors, ink_on, label_colors
from streed.views.words.wording import leaf_facts, leaf_label, one_line, rows_text


def tree_to_dot(tree: Tree, chosen: Colors = None) -> str:
    """Write a directed graph: branching nodes as boxes with their test, leaves filled by label."""
    lines = [
        "digraph tree {",
        '  node [shape=box, style="rounded,filled", fillcolor="#ffffff", color="#7b8794"];',
        '  node [fontname="Helvetica"];',
        '  edge [color="#7b8794", fontname="Helvetica", fontsize=11];',
    ]
    colors = label_colors(tree, chosen)

    def ink(shade: str) -> str:
        return "" if ink_on(shade) == INK else ', fontcolor="#ffffff"'

    for node in range(tree.node_count):
        feature = int(tree.feature[node])
        if feature < 0:
            shade = colors[int(tree.label[node])]
            text = f"{_escape(leaf_label(tree, node))}\\n{_escape(leaf_facts(tree, node))}"
            lines.append(f'  {node} [label="{text}", fillcolor="{shade}"{ink(shade)}];')
        else:
            rows = rows_text(int(tree.n_samples[node]))
            lines.append(f'  {node} [label="{_escape(one_line(tree.feature_name(feature)))}?\\n{rows}"];')
            lines.append(f'  {node} -> {tree.left[node]} [label="no"];')
            lines.append(f'  {node} -> {tree.right[node]} [label="yes"];')
    return "\n".join([*lines, "}"]) + "\n"


def _escape(text: str) -> str:
    """Escape a text for a quoted string of DOT, where a backslash begins an escape and a newline a line."""
    return text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")

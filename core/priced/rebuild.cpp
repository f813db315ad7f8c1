// The search keeps values and the split of the best tree of each row set. The tree is found by walking down
// once more.
#include <algorithm>
#include <limits>
#include <stdexcept>

#include "priced/search.hpp"

namespace streed::priced {

// The best tree of a node that is known: a leaf, that of the memo, or one with splits of depth two.
void Search::recall(Level& at, bool table) {
    if (at.leaf <= root_.branch || at.rows->n_features == 0) return;
    at.entry = memo_.find(*at.rows, nullptr);
    const Entry& entry = memo_.at(at.entry);
    if (entry.upper < at.upper && entry.feature >= 0) {
        at.upper = entry.upper;
        at.feature = entry.feature;
    }
    at.lower = std::max(at.lower, entry.lower);
    if (table && !at.expanded) expand(at);
}

void Search::append(Level& at, int depth, Tree& tree) {
    const std::size_t index = tree.size();
    tree.push_back({at.feature, -1, -1, -1});
    if (at.feature < 0) return;
    if (!at.expanded) expand(at);
    const std::vector<std::int32_t>& features = at.rows->features;
    const auto found = std::find(features.begin(), features.end(), at.feature);
    if (found == features.end())
        throw std::logic_error(
            "priced search: the split of a known tree is not among the features of its node");
    const int lane = static_cast<int>(found - features.begin());
    double cost = root_.branch;
    Level* child[2];
    for (int side = 0; side < 2; ++side) {
        child[side] = &level(depth + 1, side);
        build(at, lane, side, *child[side]);
        recall(*child[side], true);
        cost += child[side]->upper + child[side]->offset;
    }
    // With the memo switched off, children are solved again.
    for (int side = 0; side < 2 && cost > at.upper && !halted(); ++side) {
        const double before = child[side]->upper;
        child[side]->exact = false;
        solve(*child[side], depth + 1, std::numeric_limits<double>::infinity());
        cost += child[side]->upper - before;
    }
    for (int side = 0; side < 2; ++side) {
        (side == 0 ? tree[index].left : tree[index].right) = static_cast<std::int32_t>(tree.size());
        append(*child[side], depth + 1, tree);
    }
}

Tree Search::rebuild() {
    rebuilding_ = true;
    Tree tree;
    append(*top_, 0, tree);
    return tree;
}

}  // namespace streed::priced

// The search keeps values and the split of the best tree of each row set. The tree is found by walking down
// once more.
#include <algorithm>
#include <limits>
#include <numeric>
#include <stdexcept>

#include "priced/search.hpp"

namespace streed::priced {

// The best tree of a node that is known: a leaf, that of the memo, or one with splits of depth two.
void Worker::recall(Level& at, bool table) {
    if (at.leaf <= root_.branch || at.rows->n_features == 0) return;
    at.entry = memo_.find(*at.rows, nullptr, key_);
    const Entry entry = memo_.at(at.entry);
    if (entry.upper < at.upper && entry.feature >= 0) {
        at.upper = entry.upper;
        at.feature = entry.feature;
    }
    at.lower = std::max(at.lower, entry.lower);
    if (table && !at.expanded) expand(at);
}

// Of several splits that all begin a tree of the proven value, the first one: in the order of what the best
// trees of depth two below them cost, then by number. That depends on the rows alone, so that the tree is the
// same for every number of threads. Splits before it are nearly always ruled out by bounds that are known; to
// rule out the others took less than a hundredth of the search on thirteen sets.
void Worker::pick(Level& at, int depth) {
    const double value = at.upper;
    if (at.leaf <= value) {
        at.feature = kLeaf;
        return;
    }
    if (!at.expanded) expand(at);
    const std::int32_t found = at.feature;
    Bounds first;
    at.table->bound_children(techniques_.pair_bounds, first);
    const auto cost = [&](int lane) {
        return first.upper[0][static_cast<std::size_t>(lane)] +
               first.upper[1][static_cast<std::size_t>(lane)];
    };
    std::vector<int> order(first.upper[0].size());
    std::iota(order.begin(), order.end(), 0);
    std::stable_sort(order.begin(), order.end(), [&](int a, int b) { return cost(a) < cost(b); });
    for (const int lane : order) {
        const auto f = static_cast<std::size_t>(lane);
        at.upper = value + 1;  // costs are whole numbers
        solve_children(at, depth, lane, at.upper);
        if (halted()) break;
        if (root_.branch + at.bounds.upper[0][f] + at.bounds.upper[1][f] > value) continue;
        at.upper = value;
        at.feature = at.rows->features[f];
        return;
    }
    at.upper = value;  // the time is up: any of these trees will do
    at.feature = found;
    proven_ = false;
    finishing_ = true;
}

void Worker::append(Level& at, int depth, Tree& tree) {
    if (proven_) pick(at, depth);
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

Tree Worker::rebuild(bool proven) {
    search_.building = true;
    proven_ = proven;
    Tree tree;
    append(search_.top, 0, tree);
    return tree;
}

}  // namespace streed::priced

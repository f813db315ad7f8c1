// A look-ahead greedy tree: at every node the feature whose children, each with at most one split, cost
// least. It is the first tree of the search and what is left if that ends at once.
#include "priced/search.hpp"

namespace streed::priced {

void Worker::greedy(Level& at, int depth) {
    if (at.leaf <= root_.branch || at.rows->n_features == 0) return;
    look_up(at.table->needed(*at.rows));
    if (halted() || known(at, at.leaf)) return;
    expand(at);
    const std::int32_t chosen = at.feature;
    for (int lane = 0; chosen >= 0 && lane < at.rows->n_features; ++lane) {
        if (at.rows->features[static_cast<std::size_t>(lane)] != chosen) continue;
        for (int side = 0; side < 2; ++side) {
            Level& child = level(depth + 1, side);
            build(at, lane, side, child);
            greedy(child, depth + 1);
            double& upper = at.bounds.upper[side][static_cast<std::size_t>(lane)];
            if (child.upper + child.offset < upper) upper = child.upper + child.offset;
        }
        improve(at, lane);
    }
    finish(at);
}

}  // namespace streed::priced

// A tree's cost from bits alone: no node is loaded, so that a tree with hundreds of nodes takes microseconds.
#include "search/trees/tree_costs.hpp"

#include <bit>

namespace streed {

template <class Each>
void TreeCosts::each_slot(const std::uint64_t* rows, Each&& each) const {
    for (std::size_t w = 0; w < static_cast<std::size_t>(search_.reduced.words); ++w)
        for (std::uint64_t word = rows[w]; word != 0; word &= word - 1)
            each(64 * w + static_cast<std::size_t>(std::countr_zero(word)));
}

double TreeCosts::visit(const Tree& tree, const Visit& each) const {
    Walk walk{each, {search_.reduced.valid}, {}};
    const double below = cost_below(tree, 0, walk);
    return search_.model.maximum ? below : search_.model.ticks * root_.node.potential() + below;
}

// What the subtree at `at` adds to what its rows cost without benefit (or its largest leaf).
double TreeCosts::cost_below(const Tree& tree, std::size_t at, Walk& walk) const {
    const std::size_t depth = walk.path.size(), words = static_cast<std::size_t>(search_.reduced.words);
    const TreeNode& node = tree[at];
    double cost;
    if (node.feature < 0) {
        cost = leaf_below(walk.rows[depth].data());
    } else {
        if (walk.rows.size() == depth + 1) walk.rows.emplace_back(words);
        const double own = own_cost(tree, at, walk);
        const std::uint64_t* column = search_.reduced.columns.data() +
                                      static_cast<std::size_t>(node.feature) * words;
        walk.path.push_back(node.feature);
        double below[2];
        for (const int side : {0, 1}) {
            const std::uint64_t invert = side == 1 ? 0 : ~0ull;
            for (std::size_t w = 0; w < words; ++w)
                walk.rows[depth + 1][w] = walk.rows[depth][w] & (column[w] ^ invert);
            below[side] = cost_below(tree, static_cast<std::size_t>(side == 1 ? node.right : node.left),
                                     walk);
        }
        walk.path.pop_back();
        cost = search_.join(below[0], below[1], own);
    }
    if (walk.each) {
        const std::uint64_t* rows = walk.rows[depth].data();
        const double whole = search_.model.maximum
                                 ? cost
                                 : search_.model.ticks * root_.node.filter_potential(rows) + cost;
        walk.each(at, rows, whole);
    }
    return cost;
}

// What branching costs: a price of nodes, and of the test for every row.
double TreeCosts::own_cost(const Tree& tree, std::size_t at, const Walk& walk) const {
    const double own = search_.branch_cost();
    if (!search_.prices.any()) return own;
    const std::uint64_t* here = walk.rows[walk.path.size()].data();
    double count = 0;
    if (search_.reduced.counting)
        count = search_.kernels.count_and(here, here, search_.reduced.words);
    else
        each_slot(here, [&](std::size_t s) { count += search_.reduced.count[s]; });
    return own + count * search_.prices.price(tree[at].feature, walk.path);
}

std::vector<double> TreeCosts::leaf_sums(const std::uint64_t* rows) const {
    const ReducedProblem& reduced = search_.reduced;
    std::vector<double> sums(static_cast<std::size_t>(reduced.n_values));
    const std::size_t slots = 64 * static_cast<std::size_t>(reduced.words);
    if (!reduced.counting && !search_.traits.label_rows) {
        each_slot(rows, [&](std::size_t s) {
            for (std::size_t m = 0; m < sums.size(); ++m) sums[m] += reduced.value[m * slots + s];
        });
        return sums;
    }
    const bool is_signed = search_.traits.difference;
    for (std::size_t b = 0; b < reduced.blocks.size(); ++b) {
        const Block& block = reduced.blocks[b];
        double& sum = sums[is_signed ? 0 : b];
        if (reduced.counting) {
            const double count = search_.kernels.count_and(rows + block.word_begin, rows + block.word_begin,
                                                           block.word_end - block.word_begin);
            const double step = !reduced.steps.empty() ? reduced.steps[b] : is_signed && b == 1 ? -1.0 : 1.0;
            sum += step * count;
            continue;
        }
        for (std::size_t w = static_cast<std::size_t>(block.word_begin);
             w < static_cast<std::size_t>(block.word_end); ++w)
            for (std::uint64_t word = rows[w]; word != 0; word &= word - 1)
                sum += reduced.value[64 * w + static_cast<std::size_t>(std::countr_zero(word))];
    }
    return sums;
}

// Minus the benefit of rows as a leaf, or their cost by a leaf function.
double TreeCosts::leaf_below(const std::uint64_t* rows) const {
    const std::vector<double> sums = leaf_sums(rows);
    if (!search_.has_function())
        return -leaf_benefit(search_.model, [&](int k) { return sums[static_cast<std::size_t>(k)]; });
    double cost;
    search_.leaf_costs(sums.data(), 1, &cost);
    return cost;
}

}  // namespace streed

// Each test of one level anew, with everything else of the tree fixed.
//
// A row costs what it costs in either fixed subtree, so that the difference, added up in the order of the
// bins, values all cuts of a column in one pass. Nodes of one level share no rows: one pass serves them all.
#pragma once

#include "thresholds/many/trees.hpp"

namespace streed::thresholds::many {

// What a row costs at the leaf that it reaches from a node.
template <class Sums>
double cost_below(const Task<Sums>& task, const Tree& tree, const std::vector<double>& predictions,
                  std::int32_t at, std::size_t row) {
    const Node* node = &tree[static_cast<std::size_t>(at)];
    while (node->column >= 0) {
        at = node->side[task.problem.column(static_cast<std::size_t>(node->column))[row] > node->bin ? 1 : 0];
        node = &tree[static_cast<std::size_t>(at)];
    }
    return task.sums.cost_of(row, predictions[static_cast<std::size_t>(at)]);
}

// Returns whether a test has changed; the value of the tree has to be counted anew.
template <class Sums>
bool sweep_level(const Task<Sums>& task, Tree& tree, int level) {
    std::vector<std::uint16_t> at(task.rows(), 0);
    advance(task.problem, tree, level, at);
    std::vector<std::int32_t> nodes;
    std::vector<std::uint8_t> slot_of(tree.size(), 255);
    for (std::size_t row = 0; row < task.rows() && nodes.size() < 200; ++row)
        if (tree[at[row]].column >= 0 && slot_of[at[row]] == 255) {
            slot_of[at[row]] = static_cast<std::uint8_t>(nodes.size());
            nodes.push_back(at[row]);
        }
    if (nodes.empty()) return false;
    std::vector<std::uint16_t> leaf(at);
    advance(task.problem, tree, depth_of(tree), leaf);
    const auto sums = sums_at(task, tree.size(), leaf);
    std::vector<double> predictions(tree.size());
    for (std::size_t k = 0; k < tree.size(); ++k)
        predictions[k] = task.sums.prediction(sums.data() + k * task.sums.width());
    std::vector<double> gain(task.rows(), 0), now(nodes.size(), 0), gains;
    std::vector<std::uint8_t> slots(task.rows());
    for (std::size_t row = 0; row < task.rows(); ++row) {
        slots[row] = std::min(slot_of[at[row]], static_cast<std::uint8_t>(nodes.size()));
        if (slots[row] == nodes.size()) continue;
        const Node& node = tree[at[row]];
        const double below = cost_below(task, tree, predictions, node.side[0], row);
        gain[row] = below - cost_below(task, tree, predictions, node.side[1], row);
        if (task.problem.column(static_cast<std::size_t>(node.column))[row] <= node.bin)
            now[slots[row]] += gain[row];
    }
    std::vector<Stump> best(nodes.size());
    for (std::size_t slot = 0; slot < nodes.size(); ++slot)
        best[slot].value = now[slot] - 1e-9 * (1 + std::abs(now[slot]));
    for (std::size_t j = 0; j < task.columns(); ++j) {
        task.control.checkpoint(true);
        gains.assign((nodes.size() + 1) * kBins, 0);
        const std::uint8_t* codes = task.problem.column(j);
        for (std::size_t row = 0; row < task.rows(); ++row)
            gains[slots[row] * static_cast<std::size_t>(kBins) + codes[row]] += gain[row];
        for (std::size_t slot = 0; slot < nodes.size(); ++slot) {
            double value = 0;
            for (int bin = 0; bin + 1 < kBins; ++bin) {
                value += gains[slot * kBins + static_cast<std::size_t>(bin)];
                if (value < best[slot].value) best[slot] = {value, static_cast<std::int32_t>(j), bin};
            }
        }
    }
    bool changed = false;
    for (std::size_t slot = 0; slot < nodes.size(); ++slot) {
        if (best[slot].column < 0) continue;
        Node& node = tree[static_cast<std::size_t>(nodes[slot])];
        node.column = best[slot].column;
        node.bin = best[slot].bin;
        changed = true;
    }
    return changed;
}

}  // namespace streed::thresholds::many

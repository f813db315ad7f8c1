// Mean, spread and distribution of targets at every node, added up from the leaves to the root.
#include "model/node_targets.hpp"

#include <algorithm>
#include <cmath>

namespace streed {

namespace {

// Adds numbers of the rows, [row][column] as `of(row, column)` has them, to their leaves.
template <class Of>
std::vector<double> leaf_sums(std::size_t n_nodes, const TargetRows& rows, std::size_t columns, Of&& of) {
    std::vector<double> sums(n_nodes * columns);
    for (std::size_t r = 0; r < rows.n; ++r) {
        double* own = &sums[static_cast<std::size_t>(rows.leaf[r]) * columns];
        for (std::size_t c = 0; c < columns; ++c) own[c] += of(r, c);
    }
    return sums;
}

// `join(node, left, right)` for every branching node, children before their parents.
template <class Join>
void each_branch(const std::vector<Fork>& forks, Join&& join) {
    for (std::size_t node = forks.size(); node-- > 0;) {
        const auto left = static_cast<std::size_t>(forks[node].child[0]),
                   right = static_cast<std::size_t>(forks[node].child[1]);
        if (left != node) join(node, left, right);
    }
}

std::vector<double> sums_of_parts(const std::vector<Fork>& forks, std::vector<double> sums,
                                  std::size_t columns) {
    each_branch(forks, [&](std::size_t node, std::size_t left, std::size_t right) {
        for (std::size_t c = 0; c < columns; ++c)
            sums[node * columns + c] = sums[left * columns + c] + sums[right * columns + c];
    });
    return sums;
}

std::vector<double> bar_edges(const TargetRows& rows, std::size_t bars) {
    double low = rows.targets[0], high = low;
    for (std::size_t r = 0; r < rows.n; ++r) {
        low = std::min(low, rows.targets[r * rows.n_outputs]);
        high = std::max(high, rows.targets[r * rows.n_outputs]);
    }
    std::vector<double> edges(bars + 1);
    bool apart = true;
    for (std::size_t k = 0; k <= bars; ++k) {
        edges[k] = low + (high - low) * (static_cast<double>(k) / static_cast<double>(bars));
        apart = apart && std::isfinite(edges[k]) && (k == 0 || edges[k] > edges[k - 1]);
    }
    return apart ? edges : std::vector<double>{low, high};
}

}  // namespace

// What rounding has cost the mean of a leaf is added again; and squares are those about the leaf's own mean,
// since about another one small spreads would be lost in rounding.
NodeTargets node_targets(const std::vector<Fork>& forks, const TargetRows& rows, std::size_t bars) {
    const std::size_t nodes = forks.size(), outputs = rows.n_outputs;
    NodeTargets out;
    const auto target = [&](std::size_t r, std::size_t c) { return rows.targets[r * outputs + c]; };
    const auto away = [&](std::size_t r, std::size_t c) {
        return target(r, c) - out.mean[static_cast<std::size_t>(rows.leaf[r]) * outputs + c];
    };
    const auto sums = [&](std::size_t columns, auto&& of) {
        return sums_of_parts(forks, leaf_sums(nodes, rows, columns, of), columns);
    };
    const std::vector<double> weight = sums(1, [&](std::size_t r, std::size_t) { return rows.weights[r]; });
    out.mean = sums(outputs, [&](std::size_t r, std::size_t c) { return rows.weights[r] * target(r, c); });
    for (std::size_t k = 0; k < out.mean.size(); ++k) out.mean[k] /= weight[k / outputs];
    const std::vector<double> lost = sums(
        outputs, [&](std::size_t r, std::size_t c) { return rows.weights[r] * away(r, c); });
    for (std::size_t k = 0; k < out.mean.size(); ++k) out.mean[k] += lost[k] / weight[k / outputs];

    out.spread = leaf_sums(nodes, rows, outputs, [&](std::size_t r, std::size_t c) {
        const double distance = away(r, c);
        return rows.weights[r] * (distance * distance);
    });
    each_branch(forks, [&](std::size_t node, std::size_t left, std::size_t right) {
        for (std::size_t c = 0; c < outputs; ++c) {
            double squares = out.spread[left * outputs + c] + out.spread[right * outputs + c];
            for (const std::size_t child : {left, right}) {
                const double distance = out.mean[child * outputs + c] - out.mean[node * outputs + c];
                squares += weight[child] * (distance * distance);
            }
            out.spread[node * outputs + c] = squares;
        }
    });
    for (std::size_t k = 0; k < out.spread.size(); ++k)
        out.spread[k] = std::sqrt(out.spread[k] / weight[k / outputs]);

    out.edges = bar_edges(rows, bars);
    const std::size_t n_bars = out.edges.size() - 1;
    out.counts.resize(nodes * n_bars);
    for (std::size_t r = 0; r < rows.n; ++r) {
        std::size_t bar = 0;
        for (std::size_t k = 1; k < n_bars; ++k) bar += target(r, 0) >= out.edges[k] ? 1 : 0;
        out.counts[static_cast<std::size_t>(rows.leaf[r]) * n_bars + bar] += rows.weights[r];
    }
    out.counts = sums_of_parts(forks, std::move(out.counts), n_bars);
    return out;
}

}  // namespace streed

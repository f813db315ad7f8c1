// Few cuts of many bins, and the search over them.
#include "thresholds/many/few_cuts.hpp"

#include <algorithm>
#include <cmath>
#include <functional>

#include "engine.hpp"
#include "thresholds/models/models.hpp"

namespace streed::thresholds::many {
namespace {

// A search over cuts sees so many rows: what is best for these is improved on all rows.
constexpr std::size_t kSample = 200000;

// A search over cuts may take about so many operations on words.
constexpr double kWords = 1.5e8;

std::vector<std::uint32_t> counts_of(const Problem& problem, std::size_t column) {
    std::vector<std::uint32_t> counts(256);
    for (std::size_t row = 0; row < problem.n_rows; ++row) ++counts[problem.column(column)[row]];
    return counts;
}

// Bins from `from` up to `to`, at so many quantiles of the rows in these.
void quantiles_between(const std::vector<std::uint32_t>& counts, int column, int from, int to, int count,
                       Cuts& out) {
    double total = 0, passed = 0;
    for (int bin = from; bin <= to; ++bin) total += counts[static_cast<std::size_t>(bin)];
    int k = 0;
    for (int bin = from; bin <= to && k < count; ++bin) {
        passed += counts[static_cast<std::size_t>(bin)];
        if (passed < total * (k + 1) / (count + 1)) continue;
        while (k < count && passed >= total * (k + 1) / (count + 1)) ++k;
        out.emplace(column, bin);
    }
}

std::size_t most_cuts(const Problem& problem, int depth) {
    const double words = static_cast<double>(std::min(problem.n_rows, kSample)) / 64 + 1;
    return static_cast<std::size_t>(std::pow(4 * kWords / words, 1.0 / std::min(depth, 3)));
}

Tree tree_of(const streed::Tree& found, const std::vector<Cut>& tests) {
    many::Tree out(1);
    const std::function<void(std::int32_t, std::int32_t)> copy = [&](std::int32_t from, std::int32_t to) {
        const TreeNode& node = found[static_cast<std::size_t>(from)];
        if (node.feature < 0) return;
        const Cut& test = tests[static_cast<std::size_t>(node.feature)];
        const std::int32_t next = static_cast<std::int32_t>(out.size());
        out[static_cast<std::size_t>(to)] = {test.first, test.second, {next, next + 1}};
        out.resize(out.size() + 2);
        copy(node.right, next);  // rows up to the cut have the feature
        copy(node.left, next + 1);
    };
    copy(0, 0);
    return out;
}

}  // namespace

void add_tests(const Tree& tree, Cuts& out) {
    for (const Node& node : tree)
        if (node.column >= 0) out.emplace(node.column, node.bin);
}

void add_quantiles(const Problem& problem, const std::vector<std::size_t>& order, int depth, Cuts& out) {
    const std::size_t most = most_cuts(problem, depth);
    const int count = depth > 3 ? 4 : 8;
    for (int own = count; own > 0; own /= 2) {  // for all columns, else for the first ones
        const bool last = own == 1 || order.size() * static_cast<std::size_t>(own) + out.size() <= most;
        if (!last) continue;
        for (const std::size_t j : order) {
            if (out.size() + static_cast<std::size_t>(own) > most) return;
            quantiles_between(counts_of(problem, j), static_cast<int>(j), 0, 254, own, out);
        }
        break;
    }
    for (std::size_t k = 0; k < order.size() && out.size() + 4 <= most; ++k)
        quantiles_between(counts_of(problem, order[k]), static_cast<int>(order[k]), 0, 254, 4, out);
}

void add_windows(const Problem& problem, const Tree& tree, const Cuts& known, int per_side, Cuts& out) {
    for (const Node& node : tree) {
        if (node.column < 0) continue;
        const auto counts = counts_of(problem, static_cast<std::size_t>(node.column));
        auto above = known.upper_bound({node.column, node.bin});
        auto below = known.lower_bound({node.column, node.bin});
        const int to = above != known.end() && above->first == node.column ? above->second : 254;
        const bool lower = below != known.begin() && (--below)->first == node.column;
        const int from = lower ? below->second + 1 : 0;
        out.emplace(node.column, node.bin);
        quantiles_between(counts, node.column, from, node.bin - 1, per_side, out);
        quantiles_between(counts, node.column, node.bin + 1, to, per_side, out);
    }
}

Tree solve_on_cuts(const Problem& problem, const Cuts& cuts, int depth, const Options& options,
                   run::Control& control) {
    const std::vector<Cut> tests(cuts.begin(), cuts.end());
    const std::size_t step = (problem.n_rows + kSample - 1) / kSample;
    const std::size_t n = (problem.n_rows + step - 1) / step;
    const std::size_t width = problem.statistics != nullptr ? 3
                              : problem.costs != nullptr    ? static_cast<std::size_t>(problem.n_labels)
                                                            : 0;
    const double* from = problem.statistics != nullptr ? problem.statistics : problem.costs;
    std::vector<std::uint8_t> features(n * tests.size());
    std::vector<std::int32_t> labels;
    std::vector<double> weights, numbers;
    for (std::size_t k = 0; k < n; ++k) {
        const std::size_t row = k * step;
        std::uint8_t* feature = features.data() + k * tests.size();
        for (const Cut& test : tests)
            *feature++ = problem.column(static_cast<std::size_t>(test.first))[row] <= test.second;
        if (width == 0) {
            labels.push_back(problem.labels[row]);
            weights.push_back(problem.weights[row]);
        }
        numbers.insert(numbers.end(), from + row * width, from + (row + 1) * width);
    }
    const std::size_t bytes = features.size() + labels.size() * 12 + numbers.size() * 8;
    control.memory.take(bytes);
    control.checkpoint(true);
    streed::Problem sample;
    sample.features = features.data();
    sample.n_rows = n;
    sample.n_features = tests.size();
    sample.n_labels = problem.n_labels;
    LeafFunction function;
    if (problem.statistics != nullptr) {
        squares_model().set_leaves(numbers.data(), sample, function);
    } else if (problem.costs != nullptr) {
        sample.costs = numbers.data();
    } else {
        sample.labels = labels.data();
        sample.weights = weights.data();
    }
    Options own = options;
    own.max_depth = depth;
    own.min_samples_leaf = 1 + (options.min_samples_leaf - 1) / static_cast<int>(step);
    own.time_limit = std::max(1e-3, options.time_limit - control.elapsed());
    if (options.poll) own.poll = [&control](const Progress&) { return control.look(true); };
    const Tree found = tree_of(streed::solve(sample, own).tree, tests);
    control.memory.give(bytes);
    control.checkpoint(true);
    return found;
}

}  // namespace streed::thresholds::many

// The engines for priced nodes and for thresholds, as the driver runs them: alone, watched, stopped, and
// with threads where they have some.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <functional>
#include <limits>
#include <string>
#include <vector>

#include "priced/priced.hpp"
#include "random_rows.hpp"
#include "thresholds/models/models.hpp"
#include "thresholds/rebuild.hpp"

namespace driver {

// What must hold of a search that was ended early, given one that ended by itself.
inline void check_stopped(const std::string& what, const streed::Result& stopped,
                          const streed::Result& optimal) {
    const double slack = 1e-9 * (1 + optimal.magnitude + std::abs(optimal.objective));
    if (stopped.tree.empty()) fail(what, "stopped without a tree");
    if (stopped.objective < optimal.objective - slack) fail(what, "better than the optimum");
    if (stopped.lower_bound > optimal.objective + slack) fail(what, "a bound above the optimum");
}

inline void one_priced(const std::string& what, const streed::Problem& problem, double price) {
    streed::Options options;
    options.branch_cost = price;
    const streed::priced::Techniques all;
    const streed::Result alone = streed::priced::solve(problem, options, all);
    if (alone.status != streed::Status::optimal) fail(what, "not optimal");
    Watcher watcher{what};
    options.poll = std::ref(watcher);
    const streed::Result watched = streed::priced::solve(problem, options, all);
    if (watched.objective != alone.objective || !same(watched.tree, alone.tree))
        fail(what, "another tree when watched");
    options.n_threads = 3;
    streed::priced::Techniques priced_early;
    priced_early.early_prices = true;
    for (const auto& techniques : {all, priced_early}) {
        Watcher beside{what};
        options.poll = std::ref(beside);
        const streed::Result threads = streed::priced::solve(problem, options, techniques);
        if (threads.objective != alone.objective || !same(threads.tree, alone.tree))
            fail(what, "another tree with threads");
    }
    Watcher hasty{what, 1};
    options.poll = std::ref(hasty);
    check_stopped(what, streed::priced::solve(problem, options, all), alone);
    options.poll = {};
    options.time_limit = alone.seconds / 3;
    check_stopped(what, streed::priced::solve(problem, options, all), alone);
    std::printf("%-24s price %g: %g in %.2f s, watched %d times\n", what.c_str(), price, alone.objective,
                alone.seconds, watcher.calls);
}

// `share`: the price of a node as a part of the rows.
inline void priced_nodes(std::size_t n, std::size_t f, double share, unsigned seed) {
    for (const int labels : {2, 3}) {
        Rows rows(n, f, labels, seed);
        const std::string name = "priced, " + std::to_string(labels) + " labels";
        const double price = std::max(0.5, share * static_cast<double>(n));
        one_priced(name, rows.problem(true), price);
        one_priced(name + ", weights", rows.problem(false), 5 * price);
        streed::Problem costs = rows.problem(true);
        costs.costs = rows.cost.data();
        one_priced(name + ", costs", costs, 5 * price);
    }
}

// Columns of ranks with ties and, in every second column, missing values.
inline std::vector<std::int32_t> ranks_of(Rows& rows) {
    std::vector<std::int32_t> ranks;
    for (std::size_t c = 0; c < rows.f; ++c)
        for (std::size_t r = 0; r < rows.n; ++r) {
            const bool missing = c % 2 == 1 && rows.random() % 8 == 0;
            const auto noise = static_cast<std::int32_t>(rows.random() % 40);
            ranks.push_back(missing ? -1 : 20 * rows.features[r * rows.f + c] + noise);
        }
    return ranks;
}

// A wide node looks at the clock before each column of either side, and can be divided again after a stop.
inline void division_of_many_rows(std::size_t n) {
    using streed::thresholds::Node;
    const std::string what = "division of a wide node";
    Rows rows(n, 6, 2, 1);
    const std::vector<std::int32_t> ranks = ranks_of(rows);
    streed::thresholds::Problem problem;
    problem.ranks = ranks.data();
    problem.n_rows = n;
    problem.n_columns = 6;
    problem.n_labels = 2;
    problem.model = &streed::thresholds::labels_model();
    problem.labels = rows.label.data();
    problem.weights = rows.ones.data();
    const streed::thresholds::Table table = streed::thresholds::make_table(problem, streed::Options{});
    const streed::thresholds::Kernels& kernels = streed::thresholds::select_kernels("auto");
    const Node& root = table.root;
    if (!root.wide()) return fail(what, "it is narrow");
    Node lower, upper;
    streed::thresholds::RowMap map;
    streed::thresholds::open_sides(root, 0, root.rank_at(0, root.size() / 2), kernels, lower, upper, map);
    int looks = 0;
    bool stopped = false;
    try {
        streed::thresholds::fill_sides(root, kernels, lower, upper, map, [&] {
            if (++looks == 2) throw std::runtime_error("stop");
        });
    } catch (const std::runtime_error&) {
        stopped = true;
    }
    if (!stopped || looks != 2) fail(what, "a look did not stop it");
    looks = 0;
    streed::thresholds::fill_sides(root, kernels, lower, upper, map, [&] { ++looks; });
    if (looks != 2 * root.n_columns()) fail(what, "looked " + std::to_string(looks) + " times");
    if (lower.size() + upper.size() != root.size()) fail(what, "rows are lost");
}

inline void one_of_thresholds(const std::string& what, const streed::thresholds::Problem& problem, int depth,
                              int nodes, bool anytime = false) {
    const double no_limit = std::numeric_limits<double>::infinity();
    streed::Options options;
    options.max_depth = depth;
    options.max_nodes = nodes;
    const streed::thresholds::Result alone = streed::thresholds::solve(problem, options,
                                                                       {no_limit, anytime ? 1.0 : 0.0});
    options.n_threads = 3;
    Watcher watcher{what};
    options.poll = std::ref(watcher);
    const streed::thresholds::Result threads = streed::thresholds::solve(problem, options,
                                                                         {no_limit, anytime ? 1.0 : 0.0});
    if (alone.status != streed::Status::optimal || threads.status != streed::Status::optimal)
        fail(what, "not optimal");
    if (alone.objective != threads.objective) fail(what, "another optimum with threads");
    Watcher hasty{what, 1};
    options.poll = std::ref(hasty);
    check_stopped(what, streed::thresholds::solve(problem, options, {no_limit, anytime ? 1.0 : 0.0}), alone);
    options.poll = {};
    check_stopped(what, streed::thresholds::solve(problem, options, {alone.work / 2, anytime ? 1.0 : 0.0}),
                  alone);
    options.time_limit = alone.seconds / 3;
    check_stopped(what, streed::thresholds::solve(problem, options, {no_limit, anytime ? 1.0 : 0.0}), alone);
    std::printf("%-24s depth %d, %d nodes: %g in %.2f s, %.2f s with threads, watched %d times\n",
                what.c_str(), depth, nodes, alone.objective, alone.seconds, threads.seconds, watcher.calls);
}

inline void thresholds(std::size_t n, std::size_t f, int depth, unsigned seed) {
    for (const int labels : {2, 3}) {
        Rows rows(n, f, labels, seed);
        const std::vector<std::int32_t> ranks = ranks_of(rows);
        const std::string name = "thresholds, " + std::to_string(labels) + " labels";
        streed::thresholds::Problem problem;
        problem.ranks = ranks.data();
        problem.n_rows = n;
        problem.n_columns = f;
        problem.n_labels = labels;
        problem.model = &streed::thresholds::labels_model();
        problem.labels = rows.label.data();
        problem.weights = rows.ones.data();
        one_of_thresholds(name, problem, depth, (1 << depth) - 1);
        one_of_thresholds(name + ", anytime", problem, depth, (1 << depth) - 1, true);
        one_of_thresholds(name, problem, depth, (1 << depth) - 3);
        problem.weights = rows.weight.data();
        one_of_thresholds(name + ", weights", problem, depth, (1 << depth) - 1);
        problem.model = &streed::thresholds::costs_model();
        problem.numbers = rows.cost.data();
        problem.n_numbers = static_cast<std::size_t>(labels);
        one_of_thresholds(name + ", costs", problem, depth, (1 << depth) - 1);
        std::vector<double> statistics;  // the first cost of each row as its target
        for (std::size_t r = 0; r < n; ++r) {
            const double target = rows.cost[r * static_cast<std::size_t>(labels)];
            for (const double power : {1.0, target, target * target})
                statistics.push_back(rows.weight[r] * power);
        }
        problem.n_labels = 1;
        problem.model = &streed::thresholds::squares_model();
        problem.numbers = statistics.data();
        problem.n_numbers = 3;
        one_of_thresholds(name + ", squares", problem, depth, (1 << depth) - 1);
    }
}

// A plan that was made for rows without some ranks divides rows that have them, and its tree as well.
inline void plans_of_other_rows() {
    constexpr std::size_t n = 20;
    std::vector<std::int32_t> ranks(n), labels(n);
    const std::vector<double> weights(n, 1);
    for (std::size_t row = 0; row < n; ++row) {
        ranks[row] = static_cast<std::int32_t>(row % 10);
        labels[row] = ranks[row] < 5 ? 1 : 0;
    }
    streed::thresholds::Problem problem;
    problem.ranks = ranks.data();
    problem.n_rows = n;
    problem.n_columns = 1;
    problem.n_labels = 2;
    problem.model = &streed::thresholds::labels_model();
    problem.labels = labels.data();
    problem.weights = weights.data();
    streed::Options options;
    options.max_depth = options.max_nodes = 1;
    const streed::thresholds::Effort effort;
    const streed::thresholds::Kernels& kernels = streed::thresholds::select_kernels(options.simd);
    streed::thresholds::Table table = streed::thresholds::make_table(problem, options);
    streed::thresholds::Search search(problem, table, options, effort, kernels, streed::run::Clock::now());
    streed::thresholds::Worker worker(search, true);
    const auto tree_of = [&](std::int32_t low, std::int32_t high) {
        streed::thresholds::Plan plan;
        plan.low = low;
        plan.high = high;
        std::vector<streed::thresholds::Split> splits;
        return streed::thresholds::rebuild(search, worker, &plan, splits).objective;
    };
    if (tree_of(4, 5) != 0 || tree_of(2, 6) != 2)  // ranks 0 to 5 go to one side: two rows are wrong
        throw std::runtime_error("the tree of a plan divides rows otherwise than the plan");
}

}  // namespace driver

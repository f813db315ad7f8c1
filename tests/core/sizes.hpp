// All sizes, as the driver runs them: alone, with threads and a watcher, and stopped.
#pragma once

#include <cstdio>
#include <functional>
#include <string>

#include "random_rows.hpp"
#include "sizes/sizes.hpp"

namespace driver {

inline void one_of_sizes(const std::string& what, const streed::Problem& problem, int depth, int nodes) {
    streed::Options options;
    options.max_depth = depth;
    options.max_nodes = nodes;
    const streed::SizesResult alone = streed::solve_sizes(problem, options);
    options.n_threads = 3;
    Watcher watcher{what};
    options.poll = std::ref(watcher);
    const streed::SizesResult threads = streed::solve_sizes(problem, options);
    if (alone.status != streed::Status::optimal || threads.status != streed::Status::optimal)
        fail(what, "not optimal");
    if (alone.trees.size() != threads.trees.size()) fail(what, "other sizes with threads");
    for (std::size_t k = 0; k < alone.trees.size(); ++k)
        if (alone.trees[k].objective != threads.trees[k].objective ||
            !same(alone.trees[k].tree, threads.trees[k].tree))
            fail(what, "another tree with threads");
    Watcher hasty{what, 2};
    options.poll = std::ref(hasty);
    const streed::SizesResult stopped = streed::solve_sizes(problem, options);
    if (stopped.trees.empty() || stopped.lower_bound.back() > alone.trees.back().objective + 1e-6)
        fail(what, "a bound above the optimum");
    std::printf("%-24s depth %d, %zu sizes in %.2f s, %.2f s with threads\n", what.c_str(), depth,
                alone.trees.size(), alone.seconds, threads.seconds);
}

inline void sizes(std::size_t n, std::size_t f, int depth, unsigned seed) {
    for (const int labels : {2, 3}) {
        Rows rows(n, f, labels, seed);
        const std::string name = "sizes, " + std::to_string(labels) + " labels";
        one_of_sizes(name, rows.problem(true), depth, (1 << depth) - 1);
        one_of_sizes(name + ", weights", rows.problem(false), depth, (1 << depth) - 2);
        streed::Problem costs = rows.problem(true);
        costs.costs = rows.cost.data();
        one_of_sizes(name + ", costs", costs, depth, 5);
        const streed::Prices prices{rows.attribute.data(), rows.group.data(), rows.full.data(),
                                    rows.discounted.data()};
        streed::Problem priced = rows.problem(true);
        priced.prices = &prices;
        one_of_sizes(name + ", prices", priced, depth, (1 << depth) - 1);
    }
}

}  // namespace driver

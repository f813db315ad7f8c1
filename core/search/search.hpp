// The state of one solve that its threads share.
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <cmath>
#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <mutex>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "data/node.hpp"
#include "engine.hpp"
#include "model/options.hpp"
#include "model/result.hpp"
#include "run/control.hpp"
#include "search/caches/cache.hpp"
#include "kernels/leaf_benefit.hpp"
#include "leaves/leaf_table.hpp"
#include "search/prices.hpp"
#include "search/caches/records.hpp"

namespace streed {

using run::Stopped;

// `lower` is a proven lower bound; it is the optimum if `exact`, which needs an optimum below the upper
// limit.
struct Outcome {
    double lower;
    bool exact;
};

// Why the search of a subproblem ended: no split can help, no tree below the limit is possible, a kernel
// solved all levels at once, nodes cannot pay their price, the cache knew it, or its features were searched.
enum class Reason { leaf, bound, kernel, price, cache, branched };

// A subproblem that was closed: its rows by the tests before it, what is proven of it, and why. Children of a
// node with three levels are solved within that node and not told one by one.
struct ClosedSubproblem {
    const std::vector<int>& path;  // literals (search/caches/cache.hpp)
    int depth, nodes;
    double leaf;  // cost of its rows as a leaf
    Outcome outcome;
    Reason reason;
};

// Costs inside the search are whole numbers of ticks, held exactly in doubles: sums of weights have no
// rounding, and the branching cost is rounded once, to a tick that is at least a billion times smaller than a
// unit weight wherever the total weight allows it.
class Search : public run::Control {
public:
    Search(const Problem& problem, const ReducedProblem& reduced, const Options& options,
           const Kernels& kernels, run::Clock::time_point started);

    // Cost of a node as a leaf; of a leaf function, `sums` holds what its statistics add up to
    // (pairs/leaf_function.cpp).
    double leaf_cost(const Node& node) const;
    void leaf_costs(const double* sums, std::size_t n, double* ticks) const;  // [statistic][leaf] to [leaf]
    void ask_costs(const double* sums, std::size_t n,
                   double* ticks) const;  // the function itself, not its table
    void fill_leaf_table();
    const double* in_units(const double* sums, std::size_t n, std::vector<double>& out) const;
    double branch_cost() const { return model.branch_cost; }
    // What a split costs, from what its sides cost: their sum and that of branching, or the larger one.
    double join(double left, double right, double branch) const {
        return model.maximum ? std::max(left, right) : left + right + branch;
    }
    bool has_function() const { return !traits.benefit; }
    bool has_native() const { return has_function() && reduced.native; }
    NativeModel native_model() const;
    // Real statistics of leaf functions are added up under masks of features.
    bool masked() const {
        return has_function() && (reduced.native || (!reduced.counting && reduced.storage == Storage::f64));
    }
    // No subproblem costs less than `floor`, and none that branches less than `least_split`.
    double floor() const { return reduced.bounded ? 0.0 : -1e25; }
    double least_split() const { return reduced.bounded ? model.branch_cost : floor(); }
    int affordable_nodes(int depth, int nodes, double limit) const;  // bounds/price.cpp
    double per_weight() const { return per_weight_; }                // ticks per unit of slot weight
    // The similarity bound needs a pair table of doubles: too large for very many features.
    bool similar() const {
        return options.switches.similarity && model.min_samples_leaf == 1 &&
               reduced.features.size() <= 2048 && reduced.similar &&
               (!prices.any() || (reduced.counting && prices.ordered()));
    }
    double to_units(double ticks) const { return ticks * tick_; }  // weight units

    // Buffers of the search come first; the caches make room for them.
    void take_memory(std::size_t bytes);

    [[noreturn]] void wrong_cost(const double* sums, std::size_t n) const;

    const Problem& problem;
    const ReducedProblem& reduced;
    const Kernels& kernels;
    const LeafTraits traits;
    LeafModel model;
    PriceBook prices;
    LeafTable leaf_table;
    PathTable pairs;
    ChildRecords records;
    SubproblemCache subproblems;
    // Only trees of the root that cost less, in ticks, are of interest; any thread may lower it at any time.
    std::atomic<double> ceiling{std::numeric_limits<double>::infinity()};
    // Called for every subproblem that was closed, by any thread; empty: nobody listens, and nothing is told.
    std::function<void(const ClosedSubproblem&)> closed;

private:
    double per_weight_ = 1;
    double tick_ = 1;
};

// Depth and node budget limit each other: d levels hold at most 2^d - 1 nodes, n nodes at most n levels.
void normalise(int& depth, int& nodes);
inline int full_tree(int depth) { return depth >= 30 ? (1 << 30) : (1 << depth) - 1; }

}  // namespace streed

// Problems and results of the front engine: plain data.
//
// Every component is minimised and added over leaves: costs[r][k][j] is what row r costs in component j when
// its leaf predicts label k, branch_cost[j] what every branching node costs.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "data/problem.hpp"
#include "model/options.hpp"
#include "model/result.hpp"

namespace streed {

struct VectorProblem {
    const std::uint8_t* features = nullptr;  // n_rows x n_features, row by row
    const double* costs = nullptr;           // n_rows x n_labels x n_values
    const double* branch_cost = nullptr;     // n_values
    const Prices* prices = nullptr;          // of tests, per row; none where it is null
    const double* price_weights = nullptr;   // n_values: how often each component pays them
    std::size_t n_rows = 0;
    std::size_t n_features = 0;
    int n_labels = 1;
    int n_values = 1;
};

// Only points with values <= upper and weights . values <= budget are wanted.
struct Region {
    std::vector<double> upper;
    std::vector<double> weights;
    double budget = 0;
};

using Counters = std::map<std::string, double>;

struct FrontResult {
    std::vector<std::vector<double>> values;  // sorted, nondominated, each once
    std::vector<Tree> trees;
    bool complete = false;                      // proven to be the whole front in the wanted region
    std::vector<std::vector<double>> supports;  // rows (w, v): no tree has w . values < v
    Status status = Status::optimal;
    double seconds = 0;
    Counters statistics;
};

// What is known before a constrained search begins, often from one of another objective. Trees and
// multipliers change how fast it is; a tree that costs as much as the cutoff need not be found.
struct ConstrainedStart {
    double cutoff = std::numeric_limits<double>::infinity();
    std::vector<Tree> trees;          // those too large for the limits are not used
    std::vector<double> multipliers;  // of the limits, as in the result; empty: chosen by the trees
};

struct ConstrainedResult {
    std::optional<bool> feasible;
    Tree tree;  // the best feasible tree, empty if none is known
    std::vector<double> values;
    std::vector<double> multipliers;  // of the limits, those of the best bound: what one unit more is worth
    double lower_bound = 0;
    bool optimal = false;
    std::vector<double>
        closest;              // when nothing is feasible: the constrained values of the least total violation
    Tree closest_tree;        // and the tree that has them
    std::vector<Tree> known;  // trees between which the multipliers were chosen, for a search to come
    Status status = Status::optimal;
    double seconds = 0;
    Counters statistics;
};

// The nondominated points of all trees within the limits and the region, with one tree each.
FrontResult solve_front(const VectorProblem& problem, const Region& region, const Options& options);

// The least component 0 subject to lower[j] <= component 1 + j <= upper[j]. With a cutoff, where every tree
// within the limits costs that much or more, the search may end without a tree: its lower bound says so.
ConstrainedResult solve_constrained(const VectorProblem& problem, const std::vector<double>& lower,
                                    const std::vector<double>& upper, const ConstrainedStart& start,
                                    const Options& options);

}  // namespace streed

// Options of a solve, in one place with their defaults.
#pragma once

#include <cstddef>
#include <functional>
#include <limits>
#include <string>

namespace streed {

struct Progress {
    double elapsed = 0;
    double objective = 0;
    double lower_bound = 0;
    double root_done = 0;  // share of the root features that are decided
    double memory = 0;     // bytes of the solver's own structures
};

// Techniques that can be switched off. None changes the optimum; tests hold them to that.
struct Switches {
    bool cache = true;  // values of subproblems, by row set and by path
    bool child_records =
        true;  // values and bounds of all children of a node with three levels left, one record per node
    bool fused_children = true;   // both children of a feature by one kernel, without tables in memory
    bool similarity = true;       // bounds between the children of one node
    bool price_bounds = true;     // a price per node bounds the number of nodes (leaf functions)
    bool group_bounds = true;     // leaves cost no less than the best groups of targets (squared error)
    bool packed_sums = true;      // two statistics of a native leaf function in one number
    bool screen = true;           // estimates rule out children of squared errors
    bool label_bounds = true;     // a subtree has no more labels than leaves
    bool whole_units = true;      // costs and prices as whole numbers of 32 bits, where they are
    bool cells = true;            // rows of few different costs are counted, with a step for each kind
    bool merge_rows = true;       // equal rows become one weighted row
    bool drop_features = true;    // constant, equal and opposite features
    bool depth_two = true;        // the last two levels at once
    bool lookahead_order = true;  // features in the order of their best tree of depth two
    bool subtraction = true;      // the larger child's pair table by difference
    bool narrow_lanes = true;     // 8- and 16-bit lanes where the sums fit
    bool sparse_rows = true;      // weighted rows with few features are added up pair by pair
    bool deepening = true;        // smaller depths first, for early incumbents
    bool neighbourhoods = true;   // better trees beside a search that will not end in time
    bool stages = true;           // bounds first where a search will not end in time
    bool bound_sets = true;       // fronts: what known points leave to be found, as a set of corners
};

struct Options {
    int max_depth = 3;
    int max_nodes = std::numeric_limits<int>::max();
    int min_samples_leaf = 1;
    double branch_cost = 0;  // per branching node, in the unit of the weights
    double time_limit = std::numeric_limits<double>::infinity();
    std::size_t memory_limit = 0;  // bytes, 0 for none
    bool needs_cache = false;      // the search ends when the memory for its cache is used up
    int n_threads = 1;
    int neighbourhood_steps = 0;  // of every search, before it begins; where it has a time limit, more follow
    std::string simd = "auto";
    Switches switches;
    // Called about every 0.1 s on the calling thread; true ends the search.
    std::function<bool(const Progress&)> poll;
};

}  // namespace streed

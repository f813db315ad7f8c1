// Trees of any depth where every branching node has a price: cost of the leaves + price x branching nodes, at
// least. The engine for depth limits (engine.hpp) keys its subproblems by depth and budget; here a subproblem
// is a set of rows and nothing else, and the price gives bounds that a depth does not.
#pragma once

#include "data/problem.hpp"
#include "model/options.hpp"
#include "model/result.hpp"

namespace streed::priced {

// Techniques that can be switched off. None changes the optimum; tests hold them to that.
struct Techniques {
    bool memo = true;           // bounds of row sets met before
    bool support = true;        // features with a side that cannot pay for a leaf are left out
    bool cancellation = true;   // rows that no remaining feature separates are merged
    bool duplicates = true;     // equal and opposite features of a node once
    bool pair_bounds = true;    // two splits leave a peeled cell
    bool similarity = true;     // bounds between the children of one node
    bool inheritance = true;    // bounds of the parent's children for those of a node
    bool missing_leaf = true;   // between such bounds missing rows cost a split and a leaf at most
    bool preview = true;        // bounds of children from those of their children before they are made
    bool alternation = true;    // both children in turns, with limits that grow
    bool leaf_prices = true;    // prices of rows that no leaf exceeds, at the root
    bool early_prices = false;  // these before all else: for tests
    bool greedy = true;         // a look-ahead greedy tree first
};

// Why the search cannot take a problem; empty if it can. Leaf functions, maxima and prices of tests are not
// additive in the rows. A least leaf size breaks similarity; it is taken where the price implies it: a leaf
// that does not pay for its split, more than `branch_cost` above the worst label of its rows, is never
// needed, so it has more than branch_cost / (largest weight) rows.
std::string refusal(const Problem& problem, const Options& options);

// Finds a tree of least cost, or the best one until a limit of time, memory or the user ends the search.
// `max_depth` and `max_nodes` of the options are ignored. Throws std::invalid_argument
// where `refusal` gives a reason, and std::bad_alloc when memory runs out.
Result solve(const Problem& problem, const Options& options, const Techniques& techniques);

}  // namespace streed::priced

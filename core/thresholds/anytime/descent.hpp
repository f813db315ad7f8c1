// A tree improved around its own tests, over all thresholds.
#pragma once

#include <memory>

#include "thresholds/search/search.hpp"

namespace streed::thresholds {

// A tree and what it costs; no plan is a leaf.
struct Grown {
    Cost value = kInfinite;
    std::shared_ptr<const Plan> plan;
};

// Improves a tree for the rows of a node with so many levels: below its upper tests the best trees of two
// levels, then each upper test anew with everything else fixed, in turns until neither gains. `nodes` limits
// the branching nodes; where it binds, no subtree gets more nodes than it had.
Grown descend(Search& search, Worker& worker, Node& node, std::shared_ptr<const Plan> plan, int depth,
              int nodes, int level);

// The same tree with every split in its place: plans of two levels leave their last splits to be found.
std::shared_ptr<const Plan> closed(Search& search, Worker& worker, Node& node,
                                   const std::shared_ptr<const Plan>& plan, int level);

}  // namespace streed::thresholds

// One node on the path of a worker: its rows, tables and bounds.
#pragma once

#include <algorithm>
#include <cstdint>
#include <mutex>
#include <string>
#include <vector>

#include "search/screen/coarse_rows.hpp"
#include "search/search.hpp"

namespace streed {

struct Choice {
    std::int32_t feature = kLeaf;  // root feature, kLeaf or kPairTree
    int lane = -1;
    int left_nodes = 0;
};

// One node on the current path: its rows, its pair table, and the values and bounds of its children.
struct Level {
    Node node;
    std::string key;  // of the subproblem in the cache
    AlignedBuffer table, look;
    AlignedBuffer differences;  // weights per label: of pairs and single features (levels/three_levels.cpp)
    AlignedBuffer packed;       // native losses: the statistics of every slot in one number where they fit,
    AlignedBuffer packed_singles;  // and their sums per feature
    CoarseRows coarse;             // native losses: the rows for estimates (screen/),
    bool screened = false;         // where these are made
    AlignedBuffer pair_weights;    // by pair of features, the most that its rows could cost more
    AlignedBuffer pair_rows;       // by pair of features, its number of rows; only where tests have prices
    std::vector<std::int32_t> order;
    std::vector<double> lower;  // [child budget][side][lane], of the children
    bool grouped = false;       // groups of targets are worth looking at below (bounds/groups.cpp)
    bool fused = false;         // children are solved two at a time (levels/three_levels.cpp)
    std::vector<char>
        known;  // [side][lane], whether the bound of a child is its value; only where children are recorded
    std::vector<double> single_weight, single_rows;
    double leaf = 0;                // cost of the node as a leaf
    std::vector<double> side_cost;  // leaf function: [side][lane], of the children as leaves
    std::vector<double> branch;     // [lane], cost of branching
    NodePrices prices;
    double all_weight = 0;  // of the pairs and singles above
    // What of the above belongs to the node at hand: it outlives several searches of the same node.
    bool has_table = false, has_counts = false, has_pair_weights = false;
    int looked = 0;         // branching nodes that `look` allows, 0 if there is none
    double two_levels = 0;  // its best value
    void forget() {         // other rows were loaded
        has_table = has_counts = has_pair_weights = branching = false;
        looked = 0;
    }
    bool branching = false;        // the bounds below are those of this node
    bool maximum = false;          // as in the leaf model
    const Level* above = nullptr;  // the parent, none for the root
    int entry_lane = -1;           // how the node was reached from the level above
    bool entry_side = false;
    int depth = 0, nodes = 0, least_nodes = 0, n_budgets = 0;  // of the branching under way
    double best = 0;                                           // cost to beat
    double limit = 0;  // of the branching under way: no tree that costs as much is of interest
    Choice choice;
    bool shared = false;  // the root, searched by several threads
    // A thread that holds it may be asked for progress by a kernel that it runs (similarity bounds), which
    // looks at the root's bounds: it must not wait for itself.
    std::recursive_mutex mutex;

    double lower_bound(const Search& search);
    bool open(int lane);
    double joined(double left, double right, double cost) const {
        return maximum ? std::max(left, right) : cost + left + right;
    }
    double& bound(int nodes_of_child, bool side, int lane) {
        const std::size_t stride = static_cast<std::size_t>(node.stride());
        return lower[(2 * static_cast<std::size_t>(nodes_of_child - least_nodes) + (side ? 1 : 0)) * stride +
                     static_cast<std::size_t>(lane)];
    }
};

// Whether the rows that have a feature are the fewer ones.
inline bool smaller_side(const Node& node, int lane) { return 2 * node.n_with(lane) <= node.n_slots(); }

// The lane of a feature of the root; -1 if it splits nothing at the node.
inline int lane_of(const Node& node, int feature) {
    for (const std::int32_t lane : node.active())
        if (node.feature(lane) == feature) return lane;
    return -1;
}

// Locks the root when several threads share it.
class SharedLock {
public:
    explicit SharedLock(Level& at) : mutex_(at.shared ? &at.mutex : nullptr) {
        if (mutex_ != nullptr) mutex_->lock();
    }
    SharedLock(const SharedLock&) = delete;
    SharedLock& operator=(const SharedLock&) = delete;
    ~SharedLock() {
        if (mutex_ != nullptr) mutex_->unlock();
    }

private:
    std::recursive_mutex* mutex_;
};

}  // namespace streed

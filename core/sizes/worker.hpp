// A walk through the search tree in which every subproblem has a vector of values, one for every number of
// branching nodes.
//
// A node with d levels left returns v[0], ..., v[2^d - 1]: the least cost with at most k branching nodes. The
// values of a split are the least sums over all ways to divide k - 1 nodes between its children, so that the
// vectors of the children serve all budgets of their parent. A separate search for every budget would solve
// the same children again: the vectors of a whole path take about as long as two searches for the full tree.
// A split is skipped if for every budget the bounds of its children add up to no less than the best tree of
// that budget.
#pragma once

#include <memory>
#include <mutex>
#include <string>
#include <unordered_map>
#include <vector>

#include "search/worker.hpp"

namespace streed {

struct SizeChoice {
    std::int32_t feature = kLeaf;  // root feature, kLeaf or kPairTree
    int lane = -1;
    int nodes[2] = {0, 0};  // of the left and the right child; of kPairTree the first one is that of the tree
};

// What is known of a subproblem, by number of nodes.
struct SizeEntry {
    std::vector<double> lower;
    std::vector<char> exact;
    std::vector<SizeChoice> choice;  // of exact values
};

// What a Level needs more; bounds of children are in Level::lower, for 0, 1, ... nodes.
struct SizeLevel {
    int most = 0;                    // nodes
    std::vector<double> best;        // [nodes], cost to beat
    std::vector<char> found;         // [nodes], whether a tree has that cost
    std::vector<SizeChoice> choice;  // [nodes]
    std::vector<double> lower;       // [nodes], lower_bounds()
    std::vector<double> sides;       // [side][lane], benefits of the children with at most one split
    std::vector<double> open;        // [lane], number of sums of bounds below the best
    std::vector<int> rank;           // [lane], place in the order; only of a root that threads share
};

// Subproblems that were met, and what is known of the children of nodes with three levels left; shared by all
// threads.
class SizeCache {
public:
    explicit SizeCache(Search& search);

    // Calls `read` with what is known of a subproblem; false if there is nothing.
    template <class Read>
    bool find(const std::string& key, Read&& read) {
        const Lock lock(*this);
        const auto at = entries_.find(key);
        if (at == entries_.end()) return false;
        read(static_cast<const SizeEntry&>(at->second));
        return true;
    }
    // Values below their limits are exact. What an earlier search of the same rows has found is kept.
    void store(const std::string& key, const SizeLevel& own, const double* upper);
    void shrink();  // gives memory back if the limit is passed
    std::size_t size() const { return entries_.size() + records.size(); }

    const int n_literals;
    ChildRecords records;

private:
    // One thread needs no lock.
    class Lock {
    public:
        explicit Lock(SizeCache& cache) : lock_(cache.mutex_, std::defer_lock) {
            if (cache.search_.options.n_threads > 1) lock_.lock();
        }

    private:
        std::unique_lock<std::mutex> lock_;
    };
    void clear();

    Search& search_;
    std::mutex mutex_;
    std::unordered_map<std::string, SizeEntry> entries_;
    std::size_t entry_bytes_ = 0;
};

class SizeWorker : public Worker {
public:
    // `most`: nodes of the whole tree. Threads share the root and the cache.
    SizeWorker(Search& of, Level& root, SizeLevel& root_sizes, SizeCache& cache, int most,
               bool calling_thread)
        : Worker(of, root, calling_thread), most_(most), root_sizes_(root_sizes), cache_(cache) {}

    // worker.cpp: lower[k] is the value of the node with at most k nodes if that is below upper[k], else a
    // lower bound. The path leads to the node, whose rows are loaded; at least three levels are left.
    void solve_sizes(int index, int depth, int most, const double* upper, double* lower);
    void begin(int index, int depth, int most, const double* upper);
    void try_lane(int index, int lane);
    void lower_bounds(int index);  // into SizeLevel::lower
    SizeLevel& sizes(int index);
    void offer(SizeLevel& own, int nodes, double value, const SizeChoice& choice);

    // rebuild.cpp: the best tree of a node with at most so many nodes.
    int build(int index, int depth, int nodes, Tree& tree);
    int build_choice(int index, int depth, const SizeChoice& choice, Tree& tree);

    // For threads: the place of each lane of the root in the order of its features.
    void rank_lanes();

private:
    // worker.cpp
    void bound_leaves(Level& at);
    void raise_bounds(Level& at);
    void inherit(Level& parent, Level& at);
    void look(Level& at, SizeLevel& own);
    bool is_open(Level& at, const SizeLevel& own, int lane);
    void drop_closed_lanes(Level& at, SizeLevel& own);
    void offer_lane(Level& at, SizeLevel& own, int lane);
    void try_below(int index, int lane);
    void rooms(Level& at, const SizeLevel& own, int lane, bool side, std::vector<double>& room);
    const double* to_beat(const SizeLevel& own, int lane);
    void solve_below(int index, int lane, bool side);
    int first_unknown() const { return search.has_function() ? 1 : 2; }  // nodes; smaller trees are known

    // children.cpp: three levels left
    void try_pairs_of(Level& at, SizeLevel& own, int lane);
    void solve_both_sides(Level& at, int lane);
    void solve_one_by_one(Level& at, const SizeLevel& own, int lane);
    void push_vectors(Level& at, int lane);
    void recall_vectors(Level& at);
    void record_vectors(Level& at);
    int number_of(int literal, int nodes) const { return literal + (nodes - 1) * cache_.n_literals; }

    int most_;
    SizeLevel& root_sizes_;
    SizeCache& cache_;
    std::vector<std::unique_ptr<SizeLevel>> below_;  // of the levels below the root
    std::vector<double> beat_;                       // to_beat()
};

}  // namespace streed

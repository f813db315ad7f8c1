// What a solve gives back: plain data.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace streed {

// A tree as flat arrays in preorder. A leaf has feature -1; rows with the feature go right.
struct TreeNode {
    std::int32_t feature = -1;
    std::int32_t left = -1;
    std::int32_t right = -1;
    std::int32_t label = -1;
};
using Tree = std::vector<TreeNode>;

enum class Status { optimal, time_limit, interrupted, memory_limit };

// Work counted, not timed.
struct Statistics {
    std::size_t depth_two_solves = 0;  // problems with two levels left that were solved
    std::size_t tables_counted = 0;  // pair tables for which rows were counted or added: what a search costs
    std::size_t nodes = 0;           // subproblems with more than two levels left that were searched
    std::size_t cache_hits = 0;      // values found by row set or path
    std::size_t cache_entries = 0;
    std::size_t pruned_bound = 0;       // features skipped by a bound
    std::size_t pruned_similarity = 0;  // of these, before anything below them was solved
    std::size_t peak_memory = 0;
    std::size_t rows_merged = 0;  // slots that the search sees
    std::size_t features_kept = 0;
    std::size_t threads = 0;
    std::size_t certificates = 0;  // proofs of prices of rows

    void add(const Statistics& other) {
        depth_two_solves += other.depth_two_solves;
        tables_counted += other.tables_counted;
        nodes += other.nodes;
        cache_hits += other.cache_hits;
        pruned_bound += other.pruned_bound;
        pruned_similarity += other.pruned_similarity;
    }
};

struct Result {
    Tree tree;
    double objective = 0;
    double lower_bound = 0;
    double magnitude = 0;  // of the costs of the rows: what rounding is measured by
    Status status = Status::optimal;
    double seconds = 0;
    Statistics statistics;
};

}  // namespace streed

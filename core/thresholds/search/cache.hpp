// Values and bounds of subproblems, by their rows.
#pragma once

#include <cstdint>
#include <memory>
#include <unordered_map>
#include <vector>

#include "thresholds/rows/node.hpp"

namespace streed::thresholds {

struct Plan;

// Exact: `value` is the optimum and `plan` a tree that has it. Else `value` bounds it from below. `relaxed`
// bounds the optimum without a least size of leaves.
struct Outcome {
    Cost value = 0;
    Cost relaxed = 0;
    bool exact = false;
    std::shared_ptr<const Plan> plan;  // null: a leaf
};

// How to build a tree: a split by ranks of the root, and the plans of both sides. `open` ones, with one level
// left, are found when the tree is built: the sides have no plans, and so many nodes each.
struct Plan {
    std::int32_t column = 0;
    std::int32_t low = 0;   // the largest rank of the lower side
    std::int32_t high = 0;  // the least one of the upper side
    bool open = false;
    int nodes[2] = {0, 0};
    std::shared_ptr<const Plan> side[2];
};

// A set of rows that tests have left is known by the least and largest rank of each column among its rows: a
// row between all of them has passed every test on the way. Where there are fewer rows than that, the set
// itself is the key. Keys are compared, never only hashed. Threads may read a cache that none of them
// changes.
class Cache {
public:
    using Key = std::vector<std::uint32_t>;
    explicit Cache(std::size_t limit) : limit_(limit) {}

    bool find(const Key& key, Outcome& out) const;
    // Returns by how many bytes the cache has grown, negative where it was emptied to stay within its limit.
    std::ptrdiff_t store(const Key& key, const Outcome& outcome);
    // Takes over all entries of another cache, which is empty then; returns by how many bytes both have
    // grown.
    std::ptrdiff_t absorb(Cache& other);
    std::size_t size() const { return entries_.size(); }

private:
    struct Hash {
        std::size_t operator()(const Key& key) const {
            std::uint64_t hash = key.size();
            for (const std::uint32_t part : key) {
                hash = (hash ^ part) * 0x9e3779b97f4a7c15ull;
                hash ^= hash >> 29;
            }
            return static_cast<std::size_t>(hash);
        }
    };
    std::unordered_map<Key, Outcome, Hash> entries_;
    std::size_t limit_, bytes_ = 0;
};

// The key of the rows of a node with so much depth and so many nodes left.
void make_key(const Node& node, const Node& root, int depth, int nodes, Cache::Key& key);

}  // namespace streed::thresholds

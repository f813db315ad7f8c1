// Values of subproblems that were met before. A cache belongs to one solve and is shared by its threads.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "run/memory.hpp"

namespace streed {

// A path of at most eight literals as an exact 128-bit key: sorted, 15 bits each, and the node budget.
// The order of the branchings does not matter for the rows that remain, so f then g and g then f share a key.
struct PathKey {
    std::uint64_t high = 0;
    std::uint64_t low = 0;
    bool operator==(const PathKey&) const = default;
};

class PathKeyMaker {
public:
    static constexpr int kMaxLiterals = 8;
    static constexpr int kMaxFeatures = (1 << 14) - 1;
    static int literal(int feature, bool side) { return 2 * feature + (side ? 1 : 0) + 1; }

    // The path to a node; children add one literal.
    void assign(const std::vector<int>& literals) {
        assign(literals.data(), static_cast<int>(literals.size()));
    }
    void assign(const int* literals, int n);
    PathKey key() const { return child(0, 0); }  // of the path itself: there is no literal 0
    bool child_fits() const { return size_ < kMaxLiterals; }
    PathKey child(int literal, int nodes) const;

private:
    std::array<int, kMaxLiterals> sorted_{};
    int size_ = kMaxLiterals;
};

// Exact values of problems with two levels left, by path. Open addressing in shards with a lock each; when
// the memory is used up, newer entries overwrite older ones.
class PathTable {
public:
    explicit PathTable(run::Memory& memory) : memory_(memory) {}
    ~PathTable();
    std::optional<double> find(const PathKey& key);
    void prefetch(const PathKey& key) const;  // a hint only: a lookup of this key comes soon
    void insert(const PathKey& key, double value);
    void shrink();  // gives up entries until the memory limit is met
    std::size_t size() const;

private:
    struct Entry {
        PathKey key;
        double value;
    };
    struct alignas(64) Shard {
        std::atomic_flag busy;
        std::vector<Entry> entries;
        std::size_t used = 0;
        std::atomic<const Entry*> first{nullptr};  // of entries, read without the lock by prefetch()
        std::atomic<std::size_t> mask{0};
    };
    class Lock;
    static constexpr std::size_t kShards = 64;  // as fast as 4 or 16 where there is one thread

    void grow(Shard& shard);
    run::Memory& memory_;
    std::array<Shard, kShards> shards_;
};

// Values and bounds of larger subproblems, by an exact key: the set of rows (or the path, where that is
// shorter), depth and node budget.
struct CacheEntry {
    double value = 0;  // the optimum if exact, else a lower bound
    bool exact = false;
    std::int32_t feature = -1;  // of an exact entry: branching feature, kLeaf or kPairTree
    std::int32_t left_nodes = 0;
};
constexpr std::int32_t kLeaf = -1;
constexpr std::int32_t kPairTree = -2;  // the best tree of depth two

class SubproblemCache {
public:
    explicit SubproblemCache(run::Memory& memory) : memory_(memory) {}
    std::optional<CacheEntry> find(const std::string& key);
    void store(const std::string& key, const CacheEntry& entry);
    void shrink();
    std::size_t size() const;

private:
    struct Shard {
        mutable std::mutex mutex;
        std::unordered_map<std::string, CacheEntry> entries;
        std::size_t bytes = 0;
    };
    static constexpr std::size_t kShards = 16;  // several for each of the usual number of threads
    void clear(Shard& shard);
    Shard& shard(const std::string& key) { return shards_[std::hash<std::string>{}(key) % kShards]; }

    run::Memory& memory_;
    std::array<Shard, kShards> shards_;
};

}  // namespace streed

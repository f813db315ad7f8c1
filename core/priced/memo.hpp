// Bounds of row sets: one entry per set, found by hash and compared word by word.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <mutex>
#include <vector>

#include "priced/rows/rows.hpp"

namespace streed::priced {

constexpr std::int32_t kUnknown = -2;  // no split is known
constexpr std::int32_t kLeaf = -1;

struct Entry {
    double lower = 0;
    double upper = std::numeric_limits<double>::infinity();
    std::int32_t feature = kUnknown;  // the split of a tree that costs `upper`
    std::uint32_t size = 0;
    const std::uint32_t* key = nullptr;
    std::uint64_t hash = 0;
};

// The key of the rows of a node, or of those in a mask. Counted rows are their positions: as a list or as
// bits, whatever is shorter. What is left of merged rows depends on the features that could not separate
// them, so that rows with values are positions, values and features where some have been merged below the
// root.
class MemoKey {
public:
    void make(const Rows& rows, const std::uint64_t* mask, std::size_t n_root_rows);
    const std::vector<std::uint32_t>& words() const { return key_; }

private:
    std::vector<std::uint32_t> key_, ids_;
};

// All threads have one memo: it is locked where there are several.
class Memo {
public:
    Memo(std::size_t n_root_rows, bool shared)
        : n_root_rows_(n_root_rows), shared_(shared), index_(1 << 10, 0) {
        count_bytes();
    }

    // The entry of rows; made if there is none. `key` is a buffer of the calling thread.
    std::size_t find(const Rows& rows, const std::uint64_t* mask, MemoKey& key);

    Entry at(std::size_t entry) const {
        const auto lock = locked();
        return entries_[entry];
    }
    // Better bounds; a split that is not known stays as it is.
    void narrow(std::size_t entry, double lower, double upper);
    // The same with the split of a tree that costs `upper`; of two such trees the first stays.
    void store(std::size_t entry, double lower, double upper, std::int32_t feature);

    std::size_t size() const { return entries_.size(); }
    std::size_t bytes() const { return bytes_.load(std::memory_order_relaxed); }
    std::size_t hits() const { return hits_; }

private:
    std::unique_lock<std::mutex> locked() const {
        return shared_ ? std::unique_lock(mutex_) : std::unique_lock<std::mutex>();
    }
    const std::uint32_t* keep_key(const std::vector<std::uint32_t>& key);
    void grow();
    void count_bytes() {
        bytes_.store(chunk_bytes_ + entries_.capacity() * sizeof(Entry) + index_.capacity() * 4,
                     std::memory_order_relaxed);
    }

    std::size_t n_root_rows_;
    const bool shared_;
    mutable std::mutex mutex_;
    std::vector<Entry> entries_;
    std::vector<std::uint32_t> index_;  // entry + 1; 0: none
    std::vector<std::unique_ptr<std::uint32_t[]>> chunks_;
    std::size_t used_ = 0, room_ = 0;  // words of the last chunk
    std::size_t chunk_bytes_ = 0, hits_ = 0;
    std::atomic<std::size_t> bytes_{0};
};

}  // namespace streed::priced

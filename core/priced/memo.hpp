// Bounds of row sets: one entry per set, found by hash and compared word by word.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
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

class Memo {
public:
    explicit Memo(std::size_t n_root_rows) : n_root_rows_(n_root_rows), index_(1 << 10, 0) {}

    // The entry of the rows of a node, or of those in `mask`; made if there is none. Counted rows are their
    // positions: as a list or as bits, whatever is shorter. What is left of merged rows depends on the
    // features that could not separate them, so that rows with values are positions, values and features
    // where some have been merged below the root.
    std::size_t find(const Rows& rows, const std::uint64_t* mask);

    Entry& at(std::size_t entry) { return entries_[entry]; }
    std::size_t size() const { return entries_.size(); }
    std::size_t bytes() const { return bytes_ + entries_.capacity() * sizeof(Entry) + index_.capacity() * 4; }
    std::size_t hits() const { return hits_; }

private:
    void make_key(const Rows& rows, const std::uint64_t* mask);
    const std::uint32_t* keep_key();
    void grow();

    std::size_t n_root_rows_;
    std::vector<Entry> entries_;
    std::vector<std::uint32_t> index_;  // entry + 1; 0: none
    std::vector<std::uint32_t> key_, ids_;
    std::vector<std::unique_ptr<std::uint32_t[]>> chunks_;
    std::size_t used_ = 0, room_ = 0;  // words of the last chunk
    std::size_t bytes_ = 0, hits_ = 0;
};

}  // namespace streed::priced

// The rows of a node as a small dense problem of its own: bits word by word, all features of a word side by
// side.
//
// Rows with one cost each (two labels) stand in two blocks, the rows of the first label and those of the
// second, and are counted. Other rows stand in one block and have values: their cost under every label, the
// least of them being zero, and their weight, the largest of them. Both kinds are whole numbers of `unit`
// ticks.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "data/aligned.hpp"
#include "priced/kernels/kernels.hpp"

namespace streed::priced {

constexpr int kLaneBlock = 32;  // features are padded to a multiple of it

struct Rows {
    int n_features = 0;
    int stride = 0;
    int n[2] = {0, 0};
    int words[2] = {0, 0};
    int n_values = 0;                    // of a row; 0: rows are counted
    bool merged = false;                 // below the root some rows with values have become one
    std::vector<std::int32_t> features;  // numbers of the problem
    std::vector<std::uint32_t> ids;      // positions at the root, rising within a block
    std::vector<double> values;          // [row][n_values]
    std::vector<double> prices;          // of the rows (prices/leaf_prices.hpp), in ticks; empty: not known
    AlignedBuffer buffer;

    std::uint64_t* bits() { return buffer.as<std::uint64_t>(); }
    const std::uint64_t* bits() const { return buffer.as<std::uint64_t>(); }
    std::uint64_t bit(int word, int lane) const {
        return bits()[static_cast<std::size_t>(word) * stride + lane];
    }
    int n_rows() const { return n[0] + n[1]; }
    int n_words() const { return words[0] + words[1]; }
    std::uint64_t valid(int word) const;  // bits of the rows of a word
    const double* row_values(int row) const {
        return values.data() + static_cast<std::size_t>(row) * n_values;
    }
    std::size_t bytes() const;

    void allocate();  // for its numbers of rows and features
    // The cost of a leaf in units.
    double leaf() const;
};

// Rows of one side of a feature, as bits.
void side_mask(const Rows& rows, int lane, int side, std::vector<std::uint64_t>& mask);
// The rows in `mask` with the features in the lanes `keep`.
void select_rows(const Rows& from, const std::vector<std::uint64_t>& mask,
                 const std::vector<std::int32_t>& keep, const Kernels& kernels, Rows& to);
// All rows with the features in the lanes `keep`.
void select_features(const Rows& from, const std::vector<std::int32_t>& keep, Rows& to);

// What does not change during a search.
struct Root {
    std::unique_ptr<Rows> rows = std::make_unique<Rows>();  // until the search takes them
    int n_values = 0;
    std::size_t n_rows = 0;
    int width = 0;                      // words of a row
    std::vector<std::uint64_t> packed;  // [position][width], features of the problem
    double unit = 1;                    // ticks
    double branch = 0;                  // ticks
    double support = 1;                 // units that a side must be able to gain on its worst label
    double base = 0;                    // unavoidable cost in units of the problem
    double tick = 1;                    // in units of the problem
    double total = 0;                   // weights of all rows, in units
};

}  // namespace streed::priced

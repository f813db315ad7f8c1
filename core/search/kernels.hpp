// The inner loops of the search, compiled once per instruction set and chosen at run time.
//
// A search node keeps its rows twice: as bit columns (which rows have feature i) and as a matrix of row
// vectors (row r holds, in lane j, its statistic if it has feature j, else zero). The pair statistics of
// feature i are then one plain sum of row vectors over the rows that have i, with all features j as lanes:
//
//     rows with i:  r2 r5 r9        table[i] = m[r2] + m[r5] + m[r9]
//                                   table[i][j] = sum of the statistic over rows with i and j
//
// This is Algorithm 2 of the paper turned around: no popcounts, no horizontal sums, weights for free, and
// the work shrinks with the density of the data (the rarer side of i is summed, the other one subtracted).
// ANDing bit columns and counting bits was the alternative; it wins only for dense data with AVX-512.
#pragma once

#include <cstddef>
#include <cstdint>

namespace streed {

// Number type of a lane. Narrow lanes are used where the sums of a node are known to fit.
enum class Lane : int { i8 = 0, i16 = 1, i32 = 2, f64 = 3 };
// Number type in which the row vectors are stored.
enum class Storage : int { i8 = 0, i32 = 1, f64 = 2 };

constexpr std::size_t lane_bytes(Lane lane) {
    return lane == Lane::i8 ? 1 : lane == Lane::i16 ? 2 : lane == Lane::i32 ? 4 : 8;
}
constexpr std::size_t storage_bytes(Storage storage) {
    return storage == Storage::i8 ? 1 : storage == Storage::i32 ? 4 : 8;
}

// One additive statistic of the rows: the words of the bit columns that hold its rows, and their vectors.
// Binary labels need one channel over all rows (signed weights); K labels one channel per label, each over
// the rows of that label; a lower limit on the leaf size adds a channel of row counts.
struct Channel {
    int word_begin;
    int word_end;
    const void* matrix;  // row of slot s begins at element s * stride
};

// The problem of one search node as the kernels see it.
struct Frame {
    const std::uint64_t* columns;  // feature i: columns + i * words
    int words;
    int stride;  // lanes of a row vector, padded
    const std::int32_t* active;
    int n_active;  // features that are not constant in the node
    // The lanes of the active features that a slot has, or lacks where most slots have the feature.
    const std::uint32_t* row_begin;  // [slot], into row_lanes
    const std::uint32_t* row_lanes;
    const std::uint8_t* listed_without;  // [lane]
    const Channel* channels;
    int n_channels;
    int chunk;  // row vectors that can be added in 8-bit lanes without overflow
    Lane lane;
    Storage storage;
};

// How sums become the benefit of a leaf: |d| for two labels as signed differences, max_k for K labels.
enum class LeafKind : int { signed_difference = 0, largest_sum = 1 };

// A problem with two levels left: pair table, single sums and totals, all in the node's lane type.
struct PairProblem {
    const void* table;    // [channel][feature][stride]
    const void* minuend;  // null, or a table of the same shape: the problem's table is then minuend - table
    const void* singles;  // [channel][stride]
    const void* totals;   // [channel]
};

struct LeafModel {
    LeafKind kind;
    int n_values;           // channels that enter the benefit
    int min_samples_leaf;   // > 1: the last channel holds row counts
    double ticks;           // cost units per unit of benefit
    double branch_cost;     // in cost units
};

// The best benefit (in cost units, branching costs subtracted) with at most 1, 2 and 3 branching nodes.
struct PairBenefit {
    double at_most[4];
};

struct Kernels {
    const char* name;
    int lane_multiple;  // strides are multiples of this many lanes

    // out[channel][lane] = sum of the row vectors of the rows in `filter`.
    void (*single_sums)(const Frame&, const std::uint64_t* filter, void* out, std::uint32_t* scratch);

    // Fills table[channel][i] for every active i over the rows in `filter` (words bits). `singles` are the
    // sums of the filtered rows per feature. `scratch` has room for scratch_size(stride) entries, `narrow` for a
    // table in the storage type.
    void (*pair_table)(const Frame&, const std::uint64_t* filter, const void* singles, void* table,
                       std::uint32_t* scratch, void* narrow);

    // Solves a problem with two levels left. `per_root` (may be null) receives for every lane the benefit of
    // the best tree with that root and at most `nodes` branching nodes. `work` has room for 4 * stride doubles.
    PairBenefit (*solve_pairs)(const Frame&, const LeafModel&, const PairProblem&, int nodes, double* per_root,
                               double* work);

    // out = a - b over n lanes.
    void (*subtract)(Lane, const void* a, const void* b, void* out, int n);

    // Compacts the columns of the selected rows: for every feature and every word range one run of bits.
    void (*compress)(const std::uint64_t* column, const std::uint64_t* selected, int words, std::uint64_t* out);

    // Weight of the rows that have both features, for every pair, from the node's pair table: signed weights need
    // the table of the positive rows beside it (weight = 2 * positive - signed), K labels are added up.
    void (*pair_weights)(const Frame&, const void* table, const void* positive, int n_values, double* out);
};

// Decoded row indices, and behind them one row vector of partial sums.
constexpr int kIndexWords = 256;
constexpr std::size_t scratch_size(int stride) {
    return static_cast<std::size_t>(kIndexWords) * 64 + 64 + 2 * static_cast<std::size_t>(stride);
}

namespace baseline { extern const Kernels kernels; }
#ifdef STREED_HAVE_AVX2
namespace avx2 { extern const Kernels kernels; }
#endif
#ifdef STREED_HAVE_AVX512
namespace avx512 { extern const Kernels kernels; }
#endif

}  // namespace streed

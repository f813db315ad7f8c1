// What the engine is asked to solve, and the reduced problem it searches.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "../search/kernels.hpp"

namespace streed {

// Rows with 0/1 features, a label and a weight each; a leaf costs the weight of its rows with another label.
struct Problem {
    const std::uint8_t* features = nullptr;  // n_rows x n_features, row by row
    const std::int32_t* labels = nullptr;
    const double* weights = nullptr;
    std::size_t n_rows = 0;
    std::size_t n_features = 0;
    int n_labels = 1;
};

// A run of slots with the same label (or all slots, for two labels), beginning at a word.
struct Block {
    int word_begin;
    int word_end;
};

// The root problem after preprocessing. Slots are rows of the search: equal rows are merged, and slots that do
// not exist (padding up to the end of a word) have a zero in `valid`.
struct ReducedProblem {
    std::vector<std::int32_t> features;  // kept columns of the problem
    std::vector<Block> blocks;
    int words = 0;
    std::vector<std::uint64_t> valid;
    std::vector<std::uint64_t> columns;  // [kept feature][words]
    std::vector<double> value;           // per slot: signed weight (two labels) or weight, in grains
    std::vector<double> weight;          // per slot: the most that the slot can cost above its unavoidable part
    std::vector<double> count;           // per slot: rows of the problem

    LeafKind kind = LeafKind::signed_difference;
    int n_values = 1;
    Storage storage = Storage::i8;
    double largest_value = 1;  // of any slot
    double grain = 1;          // weight units per grain
    double base = 0;           // unavoidable cost in weight units: equal rows with different labels
    bool unit_weights = true;  // all slot weights are one
};

struct Preprocessing {
    bool merge_rows = true;
    bool drop_features = true;
    bool keep_counts = false;  // leaf sizes are limited: rows that cancel must stay
};

// Merges equal rows, drops constant, duplicate and complement features, and puts weights on an exact grid.
ReducedProblem reduce(const Problem& problem, const Preprocessing& options);

}  // namespace streed

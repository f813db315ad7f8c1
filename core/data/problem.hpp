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

// The root problem after preprocessing. Slots are rows of the search; those that do not exist (padding up to the end
// of a word) have a zero in `valid`. Two forms:
//   counting: every slot counts one. Equal rows with different labels have cancelled each other, equal rows with the
//             same label stand side by side. Slots that cancel but must stay (leaf sizes are limited) are light.
//   weighted: equal rows are one slot with a value.
struct ReducedProblem {
    std::vector<std::int32_t> features;  // kept columns of the problem
    std::vector<Block> blocks;           // counting: per label; weighted: per label, or one for two labels
    int words = 0;
    std::vector<std::uint64_t> valid;
    std::vector<std::uint64_t> columns;  // [kept feature][words]
    bool counting = true;
    std::vector<std::uint64_t> light;  // counting: slots without weight of their own
    std::vector<double> value;         // weighted, per slot: signed weight (two labels) or weight, in grains
    std::vector<double> weight;        // weighted, per slot: the most it can cost above its unavoidable part
    std::vector<double> count;         // weighted, per slot: rows of the problem

    LeafKind kind = LeafKind::signed_difference;
    int n_values = 1;
    Storage storage = Storage::i8;
    double largest_value = 1;  // of any slot
    double total = 0;          // of all weights, in grains
    double grain = 1;          // weight units per grain
    double base = 0;           // unavoidable cost in weight units: equal rows with different labels

    std::size_t bytes() const {
        return 8 * (valid.capacity() + columns.capacity() + light.capacity() + value.capacity() + weight.capacity() + count.capacity()) +
               4 * features.capacity();
    }
};

struct Preprocessing {
    bool merge_rows = true;
    bool drop_features = true;
    bool keep_counts = false;  // leaf sizes are limited: rows that cancel must stay
};

// Merges equal rows, drops constant, duplicate and complement features, and puts weights on an exact grid.
ReducedProblem reduce(const Problem& problem, const Preprocessing& options);

}  // namespace streed

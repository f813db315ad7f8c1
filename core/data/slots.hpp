// Groups of equal rows, and the slots that a leaf model makes of them.
#pragma once

#include <cstdint>
#include <vector>

#include "data/bits.hpp"
#include "data/problem.hpp"

namespace streed {

// The rows of a problem with the same kept features: group[r] is that of row r, first[g] its first row.
struct GroupedRows {
    const Problem& problem;
    const Preprocessing& options;
    std::size_t width = 0;  // words of a row
    std::size_t words = 0;  // words of a column
    Words packed, columns;  // all features, by rows and by columns
    std::vector<std::uint32_t> group, first;
    std::size_t groups = 0;
};

// Chooses the features that can matter and groups the rows by them.
GroupedRows group_rows(const Problem& problem, const Preprocessing& options,
                       std::vector<std::int32_t>& features);

// A slot that counts one.
struct Unit {
    std::uint32_t group;
    bool light;  // no weight of its own
};

struct Slot {
    std::uint32_t group;
    double value, weight, count;
    const double* values = nullptr;  // instead of the one value
    double potential = 0;            // of several values
};

// Lays blocks of slots out, with the bit columns of the kept features in their order: slots that count one,
// or slots with weights, whose storage is chosen. `keep_counts`: numbers of rows are added up, too.
void fill_units(ReducedProblem& out, const std::vector<std::vector<Unit>>& blocks, const GroupedRows& rows);
void fill_slots(ReducedProblem& out, const std::vector<std::vector<Slot>>& blocks, const GroupedRows& rows,
                bool keep_counts);

}  // namespace streed

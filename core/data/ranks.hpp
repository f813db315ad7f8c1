// Ranks of the numbers of columns: equal numbers have equal ranks, larger ones larger ranks, NaN has -1.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace streed {

// Columns 5, 3, 5, NaN and 1, 1, 2, 0 have the ranks 1, 0, 1, -1 and 1, 1, 2, 0. `values` has 3, 5 of the
// first one, then 0, 1, 2 of the second one, and `ends` says where each stops: 2, 5.
struct Ranked {
    std::vector<std::int32_t> ranks;  // [column][row]
    std::vector<double> values;
    std::vector<std::int64_t> ends;  // per column
};

Ranked rank_columns(const double* columns, std::size_t n_columns, std::size_t n_rows);

}  // namespace streed

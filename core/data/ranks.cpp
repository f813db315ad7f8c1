// For small columns: the steps of NumPy take longer than their sort, of which its own one is the faster for
// large columns.
#include "data/ranks.hpp"

#include <algorithm>

namespace streed {
namespace {

struct Number {
    double value;
    std::uint32_t row;
};

}  // namespace

Ranked rank_columns(const double* columns, std::size_t n_columns, std::size_t n_rows) {
    Ranked out;
    out.ranks.resize(n_columns * n_rows, -1);
    out.values.reserve(n_columns * n_rows);
    std::vector<Number> sorted;
    sorted.reserve(n_rows);
    for (std::size_t j = 0; j < n_columns; ++j) {
        const double* column = columns + j * n_rows;
        std::int32_t* ranks = out.ranks.data() + j * n_rows;
        sorted.clear();
        for (std::size_t row = 0; row < n_rows; ++row)
            if (column[row] == column[row]) sorted.push_back({column[row], static_cast<std::uint32_t>(row)});
        std::sort(sorted.begin(), sorted.end(),
                  [](const Number& a, const Number& b) { return a.value < b.value; });
        std::int32_t rank = -1;
        for (const Number& number : sorted) {
            if (rank < 0 || number.value != out.values.back()) {
                ++rank;
                out.values.push_back(number.value);
            }
            ranks[number.row] = rank;
        }
        out.ends.push_back(static_cast<std::int64_t>(out.values.size()));
    }
    return out;
}

}  // namespace streed

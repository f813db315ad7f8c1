// All single splits of a set of rows, for two components and two labels: the nondominated ones.
//
// Splits fall into a table by their first component. A cell holds the second component and the number of the
// split as one number, so that the smaller number is the better split, and of equal ones the first.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <vector>

namespace streed {

class DenseStumps {
public:
    struct Entry {
        std::int32_t first, second;
        std::int32_t
            who;  // 2 * feature + (1: rows without the feature have label 1), or -1 - label for a leaf
    };
    struct Set {
        const std::int32_t *first, *second;  // sums of the rows with each feature, when they get label 1
        std::size_t n;
        std::int32_t total[2], branch[2];
        std::int32_t low, high;  // no first component is below, those above are not wanted
        std::int32_t ceiling;    // of second components
    };

    void find(const Set& set, std::vector<Entry>& out) {
        const std::uint32_t size = static_cast<std::uint32_t>(set.high - set.low) + 1;
        cells_.assign(size + 1,
                      std::numeric_limits<std::int64_t>::max());  // the last one takes what is not wanted
        std::int64_t* cells = cells_.data();
        const auto add = [&](std::int32_t first, std::int32_t second, std::int32_t who) {
            const std::uint32_t cell = std::min(static_cast<std::uint32_t>(first - set.low), size);
            const std::int64_t key = static_cast<std::int64_t>(second) * kWho + who;
            cells[cell] = std::min(cells[cell], key);
        };
        add(0, 0, 0);
        add(set.total[0], set.total[1], 1);
        const std::int32_t one[2] = {set.branch[0], set.branch[1]};
        const std::int32_t other[2] = {set.total[0] + set.branch[0], set.total[1] + set.branch[1]};
        for (std::size_t b = 0; b < set.n; ++b) {
            const std::int32_t x = set.first[b], y = set.second[b],
                               who = static_cast<std::int32_t>(2 * b) + 2;
            add(one[0] + x, one[1] + y, who);
            add(other[0] - x, other[1] - y, who + 1);
        }
        out.clear();
        std::int64_t least = (static_cast<std::int64_t>(set.ceiling) + 1) * kWho;
        for (std::uint32_t cell = 0; cell < size; ++cell) {
            if (cells[cell] >= least) continue;
            const std::int64_t second = cells[cell] >> kShift;
            least = second * kWho;
            out.push_back({set.low + static_cast<std::int32_t>(cell), static_cast<std::int32_t>(second),
                           static_cast<std::int32_t>(cells[cell] & (kWho - 1)) - 2});
            if (out.back().who < 0) out.back().who = -1 - (out.back().who + 2);
        }
    }

private:
    static constexpr int kShift = 24;
    static constexpr std::int64_t kWho = std::int64_t{1} << kShift;
    std::vector<std::int64_t> cells_;
};

}  // namespace streed

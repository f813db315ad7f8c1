// Rows with values as planes of bits, for pair tables by popcount (kernels/planes.hpp).
#pragma once

#include <vector>

#include "priced/rows/rows.hpp"

namespace streed::priced {

class Planes {
public:
    // Splits the values; false if masked adds are less work.
    bool split(const Rows& rows, const Kernels& kernels);
    // The pair table of the rows that were split.
    void sum(const Rows& rows, const Kernels& kernels, std::int32_t* sums);
    std::size_t bytes() const { return 8 * masks_.capacity() + bits_.capacity() + chunks_.capacity(); }

private:
    std::vector<std::uint64_t> masks_;  // [value][bit][word]
    std::vector<Plane> planes_;
    std::vector<int> end_;
    AlignedBuffer bits_, chunks_;
};

}  // namespace streed::priced

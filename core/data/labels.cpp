// Whole labels as positions among the distinct ones, by a table over their range instead of sorting.
#include "data/labels.hpp"

#include <algorithm>

namespace streed {

std::optional<Encoded> encode(const std::int64_t* labels, std::size_t n) {
    if (n == 0 || n >= (std::size_t{1} << 31)) return std::nullopt;
    const auto [least, most] = std::minmax_element(labels, labels + n);
    const std::uint64_t first = static_cast<std::uint64_t>(*least),
                        span = static_cast<std::uint64_t>(*most) - first;
    if (span >= n) return std::nullopt;
    std::vector<std::int32_t> position(span + 1);
    for (std::size_t r = 0; r < n; ++r) position[static_cast<std::uint64_t>(labels[r]) - first] = 1;
    Encoded out;
    for (std::size_t k = 0; k <= span; ++k) {
        if (position[k] == 0) continue;
        position[k] = static_cast<std::int32_t>(out.values.size());
        out.values.push_back(static_cast<std::int64_t>(first + k));
    }
    out.codes.resize(n);
    for (std::size_t r = 0; r < n; ++r)
        out.codes[r] = position[static_cast<std::uint64_t>(labels[r]) - first];
    return out;
}

}  // namespace streed

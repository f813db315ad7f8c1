#include "model/route.hpp"

#include <algorithm>

namespace streed {

namespace {

int depth_of(const std::vector<Fork>& forks) {
    std::vector<int> level(forks.size(), 0);
    for (std::size_t node = 0; node < forks.size(); ++node)
        for (const std::int32_t child : forks[node].child) {
            const auto below = static_cast<std::size_t>(child);
            if (below != node) level[below] = std::max(level[below], level[node] + 1);
        }
    return *std::max_element(level.begin(), level.end());
}

}  // namespace

void route(const FeatureMatrix& features, const std::vector<Fork>& forks, std::int64_t* leaf) {
    const int depth = depth_of(forks);
    for (std::size_t r = 0; r < features.n_rows; ++r) {
        const std::uint8_t* row = features.data + static_cast<std::ptrdiff_t>(r) * features.row_stride;
        std::int32_t node = 0;
        for (int step = 0; step < depth; ++step) {
            const Fork& fork = forks[static_cast<std::size_t>(node)];
            node = fork.child[row[fork.offset] != 0];
        }
        leaf[r] = node;
    }
}

}  // namespace streed

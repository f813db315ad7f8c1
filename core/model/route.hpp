// Which leaf of a flat tree every row ends in.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace streed {

// Binary features as they lie in memory: feature f of row r is at data[r * row_stride + f * feature_stride].
struct FeatureMatrix {
    const std::uint8_t* data = nullptr;
    std::size_t n_rows = 0;
    std::ptrdiff_t row_stride = 0;
    std::ptrdiff_t feature_stride = 0;
};

// A node of a tree for routing: where its feature lies within a row, and its left and right child. Children
// come after their parents; a leaf is its own child.
struct Fork {
    std::ptrdiff_t offset = 0;
    std::int32_t child[2] = {0, 0};
};

// Rows go down one by one, all of them `depth` steps: leaves hand rows on to themselves, so that the only
// branch of the loop is one that the processor foresees.
void route(const FeatureMatrix& features, const std::vector<Fork>& forks, std::int64_t* leaf);

}  // namespace streed

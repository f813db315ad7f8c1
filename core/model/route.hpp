// Which leaf of a flat tree every row ends in, by binary features or by the columns of a table.
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

enum class ColumnType { f64, f32, i64, i32, i16, i8, u64, u32, u16, u8, bits };

// The test of one node on a column as it lies in memory: value <= cut, exactly, also for integers that no
// double holds. `bits` are tests that were made before, one byte per row.
struct ColumnTest {
    const char* data = nullptr;
    std::ptrdiff_t stride = 0;
    ColumnType type = ColumnType::f64;
    double cut = 0;                    // of floats
    std::int64_t whole = 0;            // of integers
    std::uint64_t whole_unsigned = 0;  // of integers without a sign, where `whole` is not negative
    bool missing = false;              // whether NaN satisfies the test
};

// Rows go down a tree whose forks have numbers of tests as offsets. Each row evaluates only the tests on its
// path, so that a table is read once and no matrix of features is made.
void route_columns(const std::vector<ColumnTest>& tests, const std::vector<Fork>& forks, std::size_t n_rows,
                   std::int64_t* leaf);

}  // namespace streed

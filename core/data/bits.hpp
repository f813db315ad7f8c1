// Tables of zeros and ones as bits: packing, transposing, finding equal columns and equal rows.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace streed {

using Words = std::vector<std::uint64_t>;

// Rows as bits, `width` words each.
Words pack_rows(const std::uint8_t* features, std::size_t n_rows, std::size_t n_features, std::size_t width);

// Bit columns of all rows from the packed rows, `words` words each.
Words transpose(const Words& packed, std::size_t n_rows, std::size_t n_features, std::size_t width,
                std::size_t words);

// Bit columns of the kept features for rows in a given order; kNoRow pads.
constexpr std::uint32_t kNoRow = ~0u;
Words ordered_columns(const Words& packed, std::size_t width, std::size_t n_features,
                      const std::vector<std::int32_t>& kept, const std::vector<std::uint32_t>& order);

// Columns that can matter: not constant, not equal or opposite to an earlier one of the same attribute (all
// of them without `drop`; a null `attribute` stands for a single one).
std::vector<std::int32_t> informative_features(const Words& columns, std::size_t n_rows,
                                               std::size_t n_features, std::size_t words, bool drop,
                                               const std::int32_t* attribute);

// group[r] = number of the group of rows with the same kept features, first[g] = its first row; returns the
// number of groups.
std::size_t group_rows(const Words& packed, std::size_t n, std::size_t width,
                       const std::vector<std::int32_t>& kept, bool merge, std::vector<std::uint32_t>& group,
                       std::vector<std::uint32_t>& first);

}  // namespace streed

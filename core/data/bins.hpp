// Columns of numbers in bins of one byte.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace streed {

constexpr std::size_t kMostBins = 254;
constexpr std::uint8_t kMissingBin = 255;

// Numbers up to the first edge are in bin 0, those above it and up to the second one in bin 1, and so on;
// those above the last edge are in a bin of their own. NaN is in bin 255.
struct Binned {
    std::vector<std::uint8_t> codes;
    std::vector<double> edges;  // rising, at most 253 of them, all of them values of the column
    bool missing = false;
    bool exact = false;  // no two numbers of a bin differ
};

// The edges are quantiles of a sample of the rows, or all numbers where these are few.
Binned bin_column(const double* values, std::size_t n_rows);

}  // namespace streed

// Numbers that are small whole multiples of one unit, such as tenths: they are added up as whole numbers.
#pragma once

#include <cstddef>
#include <vector>

namespace streed {

// A number that all values are whole multiples of (up to the rounding of the values themselves), with
// multiples that add up to less than 2^30 in size; 0 if none was found. Tried are one, the smallest value and
// its first parts, and powers of ten.
double common_unit(const double* values, std::size_t n);

// The largest unit of which all values are whole multiples, to rounding, such that `total` is less than 2^48
// of them; 1 if none is found. Sought among the decimals, from one to a billionth, then among the least value
// and its parts up to twelfths.
double largest_unit(const std::vector<double>& values, double total);

// The grid for sums of up to `total`: 1 for whole numbers below 2^bits, as they are; else a power of two of
// which there are fewer than 2^bits. Where that would be 1 it is a half: a grid of 1 means that the numbers
// are whole and are not rounded.
double grid_of(double total, bool whole, int bits);

// The grid for sums of these numbers: whole ones stay as they are, real ones are rounded so finely that the
// rounding is far below the precision of the sum, and so coarsely that every sum and difference is exact in a
// double.
double grain_of(const double* values, std::size_t n);
// Numbers of grains.
void to_grid(std::vector<double>& values, double grain);

}  // namespace streed

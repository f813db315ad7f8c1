// Units of numbers: candidates are tried from coarse to fine, and all values are compared with multiples.
#include "data/units.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <initializer_list>
#include <numeric>

namespace streed {
namespace {

bool measures(double unit, const double* values, std::size_t n) {
    double total = 0;
    for (std::size_t k = 0; k < n; ++k) {
        const double multiple = std::nearbyint(values[k] / unit);
        total += std::abs(multiple);
        if (!(total < 0x1p30) || !(std::abs(multiple * unit - values[k]) <= 0x1p-50 * std::abs(values[k])))
            return false;
    }
    return true;
}

constexpr double kMostUnits = 0x1p48;

// The greatest common divisor of the values as numbers of units; 0 if they are not whole, or too many.
std::int64_t common_divisor(const std::vector<double>& sizes, double unit) {
    std::int64_t divisor = 0;
    for (const double size : sizes) {
        const double units = size / unit, whole = std::nearbyint(units);
        if (!(whole < kMostUnits && std::abs(units - whole) <= 4e-16 * whole)) return 0;
        divisor = std::gcd(divisor, static_cast<std::int64_t>(whole));
    }
    return divisor;
}

}  // namespace

double largest_unit(const std::vector<double>& values, double total) {
    std::vector<double> sizes;
    for (const double value : values)
        if (value != 0) sizes.push_back(std::abs(value));
    if (sizes.empty()) return 1;
    const auto [least, most] = std::minmax_element(sizes.begin(), sizes.end());
    if (total >= kMostUnits * *most) return 1;
    std::vector<double> units = {1, 1e-1, 1e-2, 1e-3, 1e-4, 1e-5, 1e-6, 1e-7, 1e-8, 1e-9};
    for (int parts = 1; parts <= 12; ++parts) units.push_back(*least / parts);
    for (const double unit : units) {
        const std::int64_t divisor = unit > 0 ? common_divisor(sizes, unit) : 0;
        if (divisor == 0) continue;
        const double found = unit * static_cast<double>(divisor);
        return total / found < kMostUnits ? found : 1;
    }
    return 1;
}

double grid_of(double total, bool whole, int bits) {
    if ((whole && total < std::ldexp(1.0, bits)) || total == 0) return 1;
    const double grid = std::ldexp(1.0, std::ilogb(total) + 1 - bits);
    return grid == 1 ? 0.5 : std::max(0x1p-1000, grid);
}

double grain_of(const double* values, std::size_t n) {
    double total = 0;
    bool whole = true;
    for (std::size_t k = 0; k < n; ++k) {
        total += std::abs(values[k]);
        whole = whole && values[k] == std::floor(values[k]);
    }
    return grid_of(total, whole, 48);
}

void to_grid(std::vector<double>& values, double grain) {
    if (grain == 1) return;
    for (double& v : values) v = std::nearbyint(v / grain);
}

double common_unit(const double* values, std::size_t n) {
    if (measures(1, values, n)) return 1;
    double smallest = 0;
    for (std::size_t k = 0; k < n; ++k)
        if (values[k] != 0 && (smallest == 0 || std::abs(values[k]) < smallest))
            smallest = std::abs(values[k]);
    for (const double part : {1.0, 2.0, 3.0, 4.0, 5.0})
        if (measures(smallest / part, values, n)) return smallest / part;
    for (const double unit : {0.1, 0.01, 0.001, 1e-4, 1e-5, 1e-6})
        if (measures(unit, values, n)) return unit;
    return 0;
}

}  // namespace streed

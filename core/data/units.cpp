#include "units.hpp"

#include <cmath>
#include <initializer_list>

namespace streed {
namespace {

bool measures(double unit, const double* values, std::size_t n) {
    double total = 0;
    for (std::size_t k = 0; k < n; ++k) {
        const double multiple = std::nearbyint(values[k] / unit);
        total += std::abs(multiple);
        if (!(total < 0x1p30) || !(std::abs(multiple * unit - values[k]) <= 0x1p-50 * std::abs(values[k]))) return false;
    }
    return true;
}

}  // namespace

double common_unit(const double* values, std::size_t n) {
    if (measures(1, values, n)) return 1;
    double smallest = 0;
    for (std::size_t k = 0; k < n; ++k)
        if (values[k] != 0 && (smallest == 0 || std::abs(values[k]) < smallest)) smallest = std::abs(values[k]);
    for (const double part : {1.0, 2.0, 3.0, 4.0, 5.0})
        if (measures(smallest / part, values, n)) return smallest / part;
    for (const double unit : {0.1, 0.01, 0.001, 1e-4, 1e-5, 1e-6})
        if (measures(unit, values, n)) return unit;
    return 0;
}

}  // namespace streed

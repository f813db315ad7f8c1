// What row models share: the grid of their numbers.
#include "thresholds/models/models.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace streed::thresholds {

double put_on_grid(std::vector<double>& numbers) {
    const double total = std::accumulate(numbers.begin(), numbers.end(), 0.0);
    const bool whole = std::all_of(numbers.begin(), numbers.end(),
                                   [](double v) { return v == std::floor(v); });
    const double grain = whole && total < 0x1p50 ? 1.0 : std::ldexp(1.0, std::ilogb(total) - 49);
    for (double& number : numbers) number = std::nearbyint(number / grain);
    return grain;
}

}  // namespace streed::thresholds

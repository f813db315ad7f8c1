// Sorting a column of a million numbers takes as long as all of the search over bins; quantiles of a sample
// divide the rows nearly as evenly.
#include "data/bins.hpp"

#include <algorithm>
#include <array>
#include <limits>

namespace streed {
namespace {

constexpr std::size_t kSample = 16384;
constexpr double kInfinity = std::numeric_limits<double>::infinity();

std::vector<double> find_edges(const double* values, std::size_t n_rows) {
    std::vector<double> sample;
    const std::size_t step = (n_rows + kSample - 1) / kSample;
    for (std::size_t row = 0; row < n_rows; row += std::max<std::size_t>(step, 1))
        if (values[row] == values[row]) sample.push_back(values[row]);
    std::sort(sample.begin(), sample.end());
    std::vector<double> distinct = sample;
    distinct.erase(std::unique(distinct.begin(), distinct.end()), distinct.end());
    if (distinct.size() > kMostBins) {
        distinct.clear();
        for (std::size_t k = 1; k < kMostBins; ++k) {
            const double value = sample[k * sample.size() / kMostBins];
            if (distinct.empty() || value > distinct.back()) distinct.push_back(value);
        }
    }
    // Nothing is above positive infinity.
    while (!distinct.empty() && (distinct.size() >= kMostBins || distinct.back() == kInfinity))
        distinct.pop_back();
    return distinct;
}

}  // namespace

Binned bin_column(const double* values, std::size_t n_rows) {
    Binned out;
    out.edges = find_edges(values, n_rows);
    std::array<double, 255> padded;
    padded.fill(kInfinity);
    std::copy(out.edges.begin(), out.edges.end(), padded.begin());
    out.codes.resize(n_rows);
    for (std::size_t row = 0; row < n_rows; ++row) {
        const double value = values[row];
        std::size_t at = 0;
        for (const std::size_t step : {128, 64, 32, 16, 8, 4, 2, 1})
            at += padded[at + step - 1] < value ? step : 0;
        out.codes[row] = static_cast<std::uint8_t>(at);
        if (value != value) {
            out.codes[row] = kMissingBin;
            out.missing = true;
        }
    }
    std::array<double, 256> least, most;
    least.fill(kInfinity);
    most.fill(-kInfinity);
    for (std::size_t row = 0; row < n_rows; ++row) {
        double& low = least[out.codes[row]];
        double& high = most[out.codes[row]];
        low = std::min(low, values[row]);
        high = std::max(high, values[row]);
        if (low < high && out.codes[row] != kMissingBin) return out;
    }
    out.exact = true;
    return out;
}

}  // namespace streed

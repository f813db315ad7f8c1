#include "leaf_sums.hpp"

#include <algorithm>
#include <cmath>

#include "units.hpp"

namespace streed {

LeafSums::LeafSums(const Problem& problem) : problem_(problem) {
    const std::size_t n = problem.n_rows;
    const std::size_t k = static_cast<std::size_t>(problem.n_labels);
    const bool errors = problem.costs == nullptr;
    double total = 0;
    bool whole = true;
    for (std::size_t r = 0; r < n; ++r) {
        double least = 0, most = 0, size = 0;
        if (errors) {
            statistics_.resize((r + 1) * k);
            statistics_[r * k + static_cast<std::size_t>(problem.labels[r])] = most = problem.weights[r];
        } else {
            const double* own = problem.costs + r * k;
            statistics_.insert(statistics_.end(), own, own + k);
            least = *std::min_element(own, own + k);
            most = *std::max_element(own, own + k);
        }
        for (std::size_t label = 0; label < k; ++label) {
            const double cost = statistics_[r * k + label];
            size = std::max(size, std::abs(cost));
            whole = whole && cost == std::floor(cost);
        }
        total += size;
        least_.push_back(least);
        worst_.push_back(most);
    }
    function_.statistics = statistics_.data();
    function_.n_statistics = problem.n_labels;
    function_.least = least_.data();
    function_.worst = worst_.data();
    function_.grain = grid_of(total, whole, 46);
    function_.costs = [k, errors](const double* sums, std::size_t leaves, double* costs) {
        std::copy_n(sums, k * leaves, costs);
        if (!errors) return;
        for (std::size_t leaf = 0; leaf < leaves; ++leaf) {
            double all = 0;
            for (std::size_t label = 0; label < k; ++label) all += sums[label * leaves + leaf];
            for (std::size_t label = 0; label < k; ++label) costs[label * leaves + leaf] = all - costs[label * leaves + leaf];
        }
    };
    problem_.function = &function_;
}

}  // namespace streed

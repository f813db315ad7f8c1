// Class errors and label costs as statistics with a function, for trees that cost what their worst leaf
// does.
#include "leaves/leaf_sums.hpp"

#include <algorithm>
#include <cmath>

#include "data/units.hpp"
#include "leaves/leaf_models.hpp"

namespace streed {

LeafSums::LeafSums(const Problem& problem) : problem_(problem) {
    const LeafModelFunctions& model = leaf_model_of(problem);
    const std::size_t n = problem.n_rows, sums = static_cast<std::size_t>(model.n_sums(problem));
    double total = 0;
    bool whole = true;
    statistics_.resize(n * sums);
    for (std::size_t r = 0; r < n; ++r) {
        const std::uint32_t row = static_cast<std::uint32_t>(r);
        double* own = &statistics_[r * sums];
        model.add(problem, &row, 1, own);
        double size = 0;
        for (std::size_t k = 0; k < sums; ++k) {
            size = std::max(size, std::abs(own[k]));
            whole = whole && own[k] == std::floor(own[k]);
        }
        total += size;
        const RowRange range = model.row_range(problem, r);
        least_.push_back(range.least);
        worst_.push_back(range.most);
    }
    function_.statistics = statistics_.data();
    function_.n_statistics = static_cast<int>(sums);
    function_.least = least_.data();
    function_.worst = worst_.data();
    function_.grain = grid_of(total, whole, 46);
    function_.costs = [&model, problem](const double* of_leaves, std::size_t leaves, double* costs) {
        model.costs(problem, of_leaves, leaves, costs);
    };
    problem_.function = &function_;
}

}  // namespace streed

#include "thresholds/search/parts.hpp"

#include <algorithm>
#include <cmath>

namespace streed::thresholds {
namespace {

// Rows of a part. At depth 3 the parts of magic (15,216 rows) prove 1,091, 1,504 or 2,044 of 2,567 errors
// with 128, 256 or 512 rows, in 0.23, 0.23 and 0.32 s of processor time; eeg 1,581, 2,323 and 2,766 of 3,495.
constexpr std::size_t kPartRows = 512;

// Some rows of a problem, with what belongs to them.
struct Part {
    std::vector<std::int32_t> ranks, labels;
    std::vector<double> weights, costs;
    double base = 0;  // what its rows cost at least, each with its own label

    Part(const Problem& given, const std::vector<std::uint32_t>& rows, std::size_t first, std::size_t step) {
        const std::size_t width = static_cast<std::size_t>(given.n_labels);
        std::vector<std::size_t> mine;
        for (std::size_t at = first; at < rows.size(); at += step) mine.push_back(rows[at]);
        for (std::size_t j = 0; j < given.n_columns; ++j)
            for (const std::size_t row : mine) ranks.push_back(given.ranks[j * given.n_rows + row]);
        for (const std::size_t row : mine) {
            if (given.costs == nullptr) {
                labels.push_back(given.labels[row]);
                weights.push_back(given.weights[row]);
                continue;
            }
            const double* own = given.costs + row * width;
            costs.insert(costs.end(), own, own + width);
            base += *std::min_element(own, own + width);
        }
        n_rows = mine.size();
    }

    Problem problem(const Problem& given) const {
        Problem out = given;
        out.ranks = ranks.data();
        out.n_rows = n_rows;
        out.labels = given.costs == nullptr ? labels.data() : nullptr;
        out.weights = given.costs == nullptr ? weights.data() : nullptr;
        out.costs = given.costs == nullptr ? nullptr : costs.data();
        return out;
    }

    std::size_t n_rows = 0;
};

}  // namespace

// A tree for all rows is a tree for each part of them, so that it costs at least what the best trees of
// disjoint parts cost together; its nodes are paid for once, so that each part has its share of their price.
// A least size of leaves is left out. Squared errors go without this bound. Parts take every so manieth row
// in the order of labels. Weights that are not whole are rounded to the grid of the part, not to that of all
// rows: half a unit per row at most.
void raise_bound_by_parts(Search& search, double seconds) {
    const std::vector<std::uint32_t>& rows = search.table.rows;
    const std::size_t n_parts = rows.size() / kPartRows;
    if (search.depth < 2 || n_parts < 2 || search.problem.statistics != nullptr) return;
    const double until = search.elapsed() + seconds;
    Options options = search.options;
    options.n_threads = 1;
    options.min_samples_leaf = 1;
    options.branch_cost /= static_cast<double>(n_parts);
    options.poll = nullptr;
    double sum = 0;
    for (std::size_t k = 0; k < n_parts && search.elapsed() < until; ++k) {
        const Part part(search.problem, rows, k, n_parts);
        options.time_limit = until - search.elapsed();
        const Result result = solve(part.problem(search.problem), options,
                                    std::numeric_limits<double>::infinity());
        sum += std::max(0.0, result.lower_bound - part.base);
    }
    const Table& table = search.table;
    const double ticks = static_cast<double>(table.ticks);
    const bool whole = table.grain == 1 || table.root.unit();
    const double slack = (whole ? 0.0 : static_cast<double>(rows.size()) * ticks) +
                         (search.branch_cost > 0 ? static_cast<double>(search.nodes) : 0.0);
    search.raise_bound(static_cast<Cost>(std::floor(sum / table.grain * ticks * (1 - 1e-12) + 1e-6 - slack)));
}

}  // namespace streed::thresholds

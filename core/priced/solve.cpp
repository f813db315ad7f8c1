// The order of a solve with priced nodes: greedy tree, search, rebuilding, and the check of its value.
#include <algorithm>
#include <limits>
#include <stdexcept>
#include <utility>

#include "run/finish.hpp"
#include "priced/model.hpp"
#include "priced/priced.hpp"
#include "priced/search.hpp"
#include "run/conclude.hpp"

namespace streed::priced {
namespace {

// Rows of the smallest leaf.
std::size_t smallest_leaf(const Problem& problem, const Tree& tree) {
    std::vector<std::size_t> rows(tree.size());
    for (std::size_t r = 0; r < problem.n_rows; ++r) {
        std::size_t at = 0;
        while (tree[at].feature >= 0) {
            const bool has =
                problem.features[r * problem.n_features + static_cast<std::size_t>(tree[at].feature)] != 0;
            at = static_cast<std::size_t>(has ? tree[at].right : tree[at].left);
        }
        ++rows[at];
    }
    std::size_t least = problem.n_rows;
    for (std::size_t k = 0; k < tree.size(); ++k)
        if (tree[k].feature < 0) least = std::min(least, rows[k]);
    return least;
}

}  // namespace

std::string refusal(const Problem& problem, const Options& options) {
    if (problem.function != nullptr) return "leaf functions are not additive in the rows";
    if (problem.maximum) return "leaves are combined by max";
    if (problem.prices != nullptr) return "tests have prices of their own";
    if (!(options.branch_cost > 0)) return "branch_cost must be positive where nothing else limits the tree";
    if ((options.min_samples_leaf - 1) * largest_weight(problem) > options.branch_cost)
        return "min_samples_leaf is only implied by the price up to branch_cost / (largest weight of a row) "
               "+ 1";
    return "";
}

Result solve(const Problem& problem, const Options& options, const Techniques& techniques) {
    const run::Clock::time_point started = run::Clock::now();
    const std::string reason = refusal(problem, options);
    if (!reason.empty()) throw std::invalid_argument("priced nodes: " + reason);
    Root root = make_root(problem, options.branch_cost, techniques.support);
    Search search(root, select_kernels(options.simd), options, techniques, started);
    Tree tree;
    Status status = Status::optimal;
    {
        Worker worker(search, true);
        worker.search_root();
        status = search.status();
        tree = worker.rebuild(status == Status::optimal);
    }
    FinishedTree finished = finish_tree(problem, tree, options.branch_cost,
                                        std::numeric_limits<double>::infinity());
    const double splits_and_leaves = static_cast<double>(finished.tree.size());
    if (options.min_samples_leaf > 1 &&
        smallest_leaf(problem, finished.tree) < static_cast<std::size_t>(options.min_samples_leaf) &&
        finished.tree.size() > 1)
        throw std::logic_error("priced nodes: a leaf has fewer rows than its price implies");
    // Two sums of the same numbers in different orders.
    const run::Proof proof{status, root.base + search.lower() * root.tick,
                           1e-9 * (finished.magnitude + options.branch_cost * splits_and_leaves)};
    Result result;
    run::conclude(search, std::move(finished), proof, search.statistics(), result);
    return result;
}

}  // namespace streed::priced

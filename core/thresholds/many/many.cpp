// The order of the steps, for each kind of task.
#include "thresholds/many/many.hpp"

#include <algorithm>

#include "thresholds/many/few_cuts.hpp"
#include "thresholds/many/pairs.hpp"
#include "thresholds/many/sweep.hpp"

namespace streed::thresholds::many {
namespace {

// Turns of tails and sweeps, and of windows around the tests of the tree; quantiles on each side of a test.
constexpr int kTurns = 6, kWindowTurns = 3, kWindow = 8, kNarrowWindow = 2;

// Searches over few cuts have no more levels than this.
constexpr int kMostLevels = 4;

// A leaf of the greedy tree of more levels has at least this share of the rows.
constexpr double kLeastShare = 200;

template <class Sums>
class BinSearch {
public:
    BinSearch(const Problem& problem, const Options& options, run::Control& control)
        : task_{problem, Sums(problem), options, control}, depth_(options.max_depth) {}

    const Tree& tree() const { return best_; }
    const Tree& greedy() const { return greedy_; }

    void run() {
        offer(Tree(1));
        const double least = task_.least();
        greedy_ = grow(task_, depth_, Criterion::gini, least);
        offer(greedy_);
        if (depth_ > 2 && depth_ <= kMostLevels) {
            const double share = static_cast<double>(task_.rows()) / kLeastShare;
            const Tree second = grow(task_, depth_ + 1, Criterion::entropy, std::max(least, share));
            Cuts cuts;
            add_tests(greedy_, cuts);
            add_tests(second, cuts);
            add_quantiles(task_.problem, order(), depth_, cuts);
            offer(solve_on_cuts(task_.problem, cuts, depth_, task_.options, task_.control));
        }
        descend();
        for (int turn = 0; turn < kWindowTurns && depth_ > 2 && depth_ <= kMostLevels; ++turn) {
            Cuts known, cuts;
            add_tests(best_, known);
            add_windows(task_.problem, best_, known, depth_ > 3 ? kNarrowWindow : kWindow, cuts);
            if (!offer(solve_on_cuts(task_.problem, cuts, depth_, task_.options, task_.control))) return;
            descend();
        }
    }

private:
    bool offer(Tree tree) {
        const double value = value_of(task_, tree);
        if (value >= value_) return false;
        value_ = value;
        best_ = std::move(tree);
        return true;
    }

    // Tails, then sweeps of the levels above, in turns until neither gains.
    void descend() {
        for (int turn = 0; turn < kTurns; ++turn) {
            bool gained = offer(with_tails());
            for (int level = 0; level < depth_ - 2; ++level) {
                Tree swept = best_;
                if (sweep_level(task_, swept, level)) gained = offer(std::move(swept)) || gained;
            }
            if (!gained) return;
        }
    }

    // The best tree with the best two levels below its upper tests.
    Tree with_tails() {
        const int level = std::max(0, depth_ - 2);
        std::vector<std::uint16_t> at(task_.rows(), 0);
        advance(task_.problem, best_, level, at);
        std::vector<std::vector<std::uint32_t>> rows(best_.size());
        for (std::size_t row = 0; row < task_.rows(); ++row)
            rows[at[row]].push_back(static_cast<std::uint32_t>(row));
        Tree out(1);
        copy(0, 0, out, rows);
        return out;
    }

    void copy(std::int32_t from, std::int32_t to, Tree& out, std::vector<std::vector<std::uint32_t>>& rows) {
        const Node node = best_[static_cast<std::size_t>(from)];
        std::vector<std::uint32_t>& own = rows[static_cast<std::size_t>(from)];
        if (!own.empty()) {
            Tree tail;
            LastTwo<Sums>(task_, std::move(own)).solve(tail, std::min(depth_, 2));
            own = {};
            return graft(tail, 0, out, to);
        }
        if (node.column < 0) return;
        split(out, to, node.column, node.bin);
        for (int side = 0; side < 2; ++side)
            copy(node.side[side], out[static_cast<std::size_t>(to)].side[side], out, rows);
    }

    // Columns by their best single test, the best first.
    std::vector<std::size_t> order() {
        std::vector<Stump> stumps(task_.columns());
        std::vector<std::uint8_t> slots(task_.rows(), 0);
        std::vector<typename Sums::Sum> cells;
        for (std::size_t j = 0; j < stumps.size(); ++j)
            by_bins(task_, j, slots, 1, cells, [&](std::size_t, const auto* own) {
                take_best_cut(
                    task_.sums, own, j, task_.least(),
                    [&](const auto* sums) { return task_.sums.impurity(sums, Criterion::gini); }, stumps[j]);
            });
        std::vector<std::size_t> out(stumps.size());
        std::iota(out.begin(), out.end(), std::size_t{0});
        std::erase_if(out, [&](std::size_t j) { return stumps[j].column < 0; });
        std::stable_sort(out.begin(), out.end(),
                         [&](std::size_t a, std::size_t b) { return stumps[a].value < stumps[b].value; });
        return out;
    }

    const Task<Sums> task_;
    const int depth_;
    double value_ = kNever;
    Tree best_ = Tree(1), greedy_ = Tree(1);
};

template <class Sums>
Found run_search(const Problem& problem, const Options& options) {
    run::Control control(options);
    BinSearch<Sums> search(problem, options, control);
    Found found;
    control.memory.take(problem.n_rows * 24);
    try {
        search.run();
    } catch (const run::Stopped&) {
        found.status = control.status();
    }
    found.tree = search.tree();
    found.greedy = search.greedy();
    found.peak_memory = control.memory.peak();
    found.seconds = control.elapsed();
    return found;
}

}  // namespace

Found solve(const Problem& problem, const Options& options) {
    if (problem.statistics != nullptr) return run_search<Squares>(problem, options);
    if (problem.costs != nullptr) return run_search<Costs>(problem, options);
    const bool unit = std::all_of(problem.weights, problem.weights + problem.n_rows,
                                  [](double weight) { return weight == 1; });
    if (!unit) return run_search<Weights>(problem, options);
    return problem.n_labels == 2 ? run_search<Counts<2>>(problem, options)
                                 : run_search<Counts<0>>(problem, options);
}

}  // namespace streed::thresholds::many

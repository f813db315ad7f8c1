// The whole solve for all sizes: reduce, search the root, build a tree for every size that is worth its
// nodes.
#include <algorithm>
#include <atomic>
#include <cmath>
#include <limits>

#include "engine.hpp"
#include "run/finish.hpp"
#include "search/prepared.hpp"
#include "search/share.hpp"
#include "sizes/sizes.hpp"
#include "sizes/worker.hpp"

namespace streed {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kFirstSeconds = 0.005;
constexpr double kBriefWork = 3e6;  // as in search/solve.cpp: a search so short needs no tree to begin with,
constexpr double kShortWork = 3e8;  // and one so short no search with a level less

class SizesSearch : private PreparedSearch {
public:
    using PreparedSearch::PreparedSearch;

    SizesResult run();

private:
    void search_all(SizeWorker& worker, int depth, int nodes);
    void search_two_levels(SizeWorker& worker, int depth, int nodes);
    void search_depth(SizeWorker& worker, int depth, bool last);
    void catch_up(SizeWorker& worker, int depth, bool at_once);
    void keep(std::size_t nodes, double value, Tree tree);
    void finish(SizesResult& result);
    Progress progress();

    std::vector<double> value_;    // [nodes], of the best tree that is known, in ticks
    std::vector<Tree> tree_;       // [nodes], none where a smaller one is as good
    std::vector<Tree> greedy_;     // further trees, in case that the search is cut short
    std::vector<double> lower_;    // [nodes], proven
    std::vector<int> lane_;        // [nodes], of the root's feature of a tree that this depth has found
    double building_ = 0;          // seconds that trees took so far
    std::atomic<double> done_{0};  // share of the root's features that are decided
    SizeLevel root_sizes_;
    SizeCache cache_{search_};
    int most_ = 0;  // nodes of the whole tree
};

Progress SizesSearch::progress() {
    const auto units = [&](double ticks) { return reduced_.base + search_.to_units(ticks); };
    const double lower = lower_.empty() || lower_.back() <= -1e24 ? -kInfinity : units(lower_.back());
    Progress out;
    out.objective = units(value_.back());
    out.lower_bound = lower;
    out.root_done = done_;
    return out;
}

// A tree of proven or best known value serves all sizes up to the next better one.
void SizesSearch::keep(std::size_t nodes, double value, Tree tree) {
    value_[nodes] = value;
    tree_[nodes] = std::move(tree);
    for (std::size_t k = nodes + 1; k < value_.size() && value_[k] >= value; ++k) {
        value_[k] = value;
        tree_[k].clear();
    }
}

// Makes trees of the root's choices that are better than the trees so far. As in search/solve.cpp this waits
// until it takes no more than a tenth of the time, and the work is not counted.
void SizesSearch::catch_up(SizeWorker& worker, int depth, bool at_once) {
    if (!at_once && search_.elapsed() < std::max(10 * building_, kFirstSeconds)) return;
    const double begun = search_.elapsed();
    const Statistics counted = worker.statistics;
    struct Found {
        double value;
        SizeChoice choice;
    };
    std::vector<Found> found;
    {
        const SharedLock lock(root_);
        const SizeLevel& own = root_sizes_;
        for (std::size_t k = 0; k <= static_cast<std::size_t>(own.most); ++k)
            found.push_back({own.found[k] != 0 ? own.best[k] : kInfinity, own.choice[k]});
    }
    for (std::size_t k = 0; k < found.size(); ++k) {
        // Another thread may have found a tree as good that comes first: the last word is at the end.
        const bool other = at_once && found[k].value == value_[k] && !tree_[k].empty() && lane_[k] >= 0 &&
                           lane_[k] != found[k].choice.lane;
        if (found[k].value >= value_[k] && !other) continue;
        lane_[k] = found[k].choice.lane;
        Tree tree;
        worker.build_choice(0, depth, found[k].choice, tree);
        keep(k, found[k].value, std::move(tree));
    }
    worker.statistics = counted;
    building_ += search_.elapsed() - begun;
}

void SizesSearch::search_depth(SizeWorker& worker, int depth, bool last) {
    const int most = std::min(full_tree(depth), static_cast<int>(value_.size()) - 1);
    worker.begin(0, depth, most, value_.data());
    if (options_.n_threads > 1) worker.rank_lanes();
    lane_.assign(value_.size(), -1);
    const auto prove = [&] {
        if (!last) return;
        worker.lower_bounds(0);
        const std::vector<double>& proven = worker.sizes(0).lower;
        for (std::size_t k = 0; k < lower_.size(); ++k)
            lower_[k] = std::max(lower_[k], std::min(proven[k], value_[k]));
    };
    catch_up(worker, depth, false);
    const auto make = [this] {
        return std::make_unique<SizeWorker>(search_, root_, root_sizes_, cache_, most_, false);
    };
    std::atomic<std::size_t> decided{0};
    try {
        share_root(search_, root_, worker, make, [&](SizeWorker& by, std::size_t k) {
            by.try_lane(0, root_.order[k]);
            const double share = static_cast<double>(++decided) / static_cast<double>(root_.order.size());
            if (last) done_ = share;
            if (&by == &worker) catch_up(worker, depth, false);
        });
    } catch (const Stopped&) {
        prove();
        throw;
    }
    catch_up(worker, depth, true);
    prove();
}

void SizesSearch::search_two_levels(SizeWorker& worker, int depth, int nodes) {
    for (int n = 1; n <= nodes; ++n) {
        int levels = depth, k = n;
        normalise(levels, k);
        if (levels == 2) worker.tables.load(root_);
        const double value = levels == 1 ? worker.pairs.best_stump(root_, nullptr)
                                         : worker.pairs.solve(root_, k);
        if (value >= value_[static_cast<std::size_t>(n)]) continue;
        Tree tree;
        worker.build(0, levels, k, tree);
        keep(static_cast<std::size_t>(n), value, std::move(tree));
    }
    lower_ = value_;
}

void SizesSearch::search_all(SizeWorker& worker, int depth, int nodes) {
    search_.checkpoint(true);
    if (depth <= 2 || root_.node.active().empty() || root_.leaf <= search_.least_split()) {
        if (depth > 0) search_two_levels(worker, std::min(depth, 2), std::min(nodes, 3));
        lower_ = value_;
        return;
    }
    const double columns = static_cast<double>(root_.node.active().size());
    const double work = depth <= 4 ? std::pow(columns, depth - 1) * root_.node.words() : kInfinity;
    if (work >= kBriefWork || search_.has_function())
        for (int n = 4; n <= nodes; ++n) {
            Tree tree;  // kept only if it is whole: Stopped may end it anywhere
            worker.rebuild.lookahead(0, depth, n, tree);
            greedy_.push_back(std::move(tree));
        }
    const int first = options_.switches.deepening && work >= kShortWork ? 3 : depth;
    for (int d = first; d <= depth; ++d) search_depth(worker, d, d == depth);
}

SizesResult SizesSearch::run() {
    SizesResult result;
    root_.node.load(reduced_, {&kernels_, options_.switches.narrow_lanes, options_.switches.sparse_rows,
                               options_.min_samples_leaf, search_.model.counted, search_.masked()});
    search_.take_memory(reduced_.bytes() + root_.node.bytes());
    int depth = options_.max_depth, nodes = options_.max_nodes;
    normalise(depth, nodes);
    most_ = nodes;
    SizeWorker worker(search_, root_, root_sizes_, cache_, nodes, true);
    worker.enter(root_);
    const std::size_t n = static_cast<std::size_t>(nodes) + 1;
    value_.assign(n, root_.leaf);
    tree_.assign(n, {});
    tree_[0] = Tree{TreeNode{}};
    lower_.assign(n, std::min(root_.leaf, search_.least_split()));
    lower_[0] = root_.leaf;
    search_.progress = [this] { return progress(); };
    try {
        search_all(worker, depth, nodes);
    } catch (const Stopped&) {
        result.status = search_.status();
    }
    finish(result);
    result.statistics.add(worker.statistics);
    result.statistics.cache_entries = cache_.size();
    result.statistics.peak_memory = search_.memory.peak();
    result.statistics.features_kept = reduced_.features.size();
    result.statistics.rows_merged = static_cast<std::size_t>(root_.node.n_slots());
    result.statistics.threads = static_cast<std::size_t>(options_.n_threads);
    result.seconds = search_.elapsed();
    return result;
}

// Trees over the rows as they were given, without redundant splits. Trees of a search
// that was cut short may be worse than smaller ones.
void SizesSearch::finish(SizesResult& result) {
    const auto finished = [&](const Tree& tree) {
        Tree given = tree;
        for (TreeNode& node : given)
            if (node.feature >= 0) node.feature = reduced_.features[static_cast<std::size_t>(node.feature)];
        const bool late = result.status != Status::optimal && search_.has_function();
        FinishedTree done = finish_tree(problem_, given, options_.branch_cost, late ? 0.05 : kInfinity);
        const int nodes = static_cast<int>(done.tree.size() / 2);
        return SizedTree{nodes, std::move(done.tree), done.objective, done.magnitude};
    };
    std::vector<SizedTree> found;
    for (std::size_t k = 0; k < tree_.size(); ++k) {
        if (tree_[k].empty()) continue;
        found.push_back(finished(tree_[k]));
        const double expected = reduced_.base + search_.to_units(value_[k]);
        const double rounding = 1e-9 * (std::abs(expected) + found.back().magnitude);
        if (!search_.has_function() && std::abs(found.back().objective - expected) > rounding)
            throw std::logic_error(
                "internal error, please report it: a tree has not the value that was found");
    }
    if (result.status != Status::optimal)
        for (const Tree& tree : greedy_)
            if (!tree.empty()) found.push_back(finished(tree));
    std::stable_sort(found.begin(), found.end(), [](const SizedTree& a, const SizedTree& b) {
        return a.nodes != b.nodes ? a.nodes < b.nodes : a.objective < b.objective;
    });
    for (SizedTree& tree : found)
        if (result.trees.empty() || tree.objective < result.trees.back().objective)
            result.trees.push_back(std::move(tree));
    for (std::size_t k = 0; k < lower_.size(); ++k) {
        const double lower = lower_[k];
        result.lower_bound.push_back(lower <= -1e24 ? -kInfinity : reduced_.base + search_.to_units(lower));
    }
}

}  // namespace

SizesResult solve_sizes(const Problem& problem, const Options& options) {
    try {
        return SizesSearch(problem, options).run();
    } catch (const Stopped&) {  // before there was a tree
        throw Interrupted{};
    }
}

}  // namespace streed

// The order of an anytime search over thresholds, and the share of the work of each step.
#include "thresholds/anytime/anytime.hpp"

#include <algorithm>
#include <cmath>

#include "thresholds/anytime/descent.hpp"
#include "thresholds/anytime/few_cuts.hpp"

namespace streed::thresholds {
namespace {

constexpr double kUnlimited = std::numeric_limits<double>::infinity();

// One search over few cuts may take this share of the work that is left, and all of the improvement so many
// times as much; without a limit of work no more than this.
constexpr double kCutsShare = 0.2, kImprovements = 2.5, kMostCutsWork = 1e9;

// Searches over few cuts have no more levels than this. Of many rows, or with four levels, each column has 4
// quantiles instead of 8.
constexpr int kMostLevels = 4, kManyRows = 50000;

// Windows around the tests of a tree: so many quantiles on each side with three levels, and with four.
constexpr int kWindowTurns = 4, kWindow = 8, kNarrowWindow = 2;

// A phase of bounds may take this share of the work that is left; the next one is foreseen to take so many
// times as long as the last one.
constexpr double kPhaseShare = 0.5, kNextPhase = 2.5;

// The first phase is foreseen to take so many walks over all columns at depth 3, and so many times as many
// for each further level: magic took 27 and 400 at depth 3 and 4, eeg 61 and 1,400, avila 730 at depth 4.
constexpr double kFirstWalks = 50, kWalksPerLevel = 14;

// The exact search is foreseen to take 1 + 60 x gap times as long as the last phase, the gap being that
// between its bound and the tree. At depth 3, from the first phase that leaves a choice: magic 2.7e8
// foreseen, 2.3e8 needed; eeg 3.2e8, 4.1e8; htru 4.0e8, 3.5e8; rice 6.6e7, 6.0e7; fault 3.5e8, 4e7. It begins
// where that fits into the work that is left, and into half of the time.
constexpr double kPerGap = 60, kExactShare = 0.5;

// Runs an attempt that may take so much work; false if it took all of it.
template <class Attempt>
bool within(Search& search, double work, Attempt&& attempt) {
    search.cap_work(work);
    bool done = true;
    try {
        attempt();
    } catch (const OutOfWork&) {
        done = false;
    }
    search.cap_work(kUnlimited);
    return done;
}

class Improver {
public:
    Improver(Search& search, Worker& worker, double work) : search_(search), worker_(worker), work_(work) {}

    // A tree for the rows of a node that is no worse than a given one.
    Grown improve(Node& node, int depth, int nodes, int level, Grown best) {
        const auto descended = [&](std::shared_ptr<const Plan> plan) {
            take(best, descend(search_, worker_, node, std::move(plan), depth, nodes, level), level);
        };
        offer(best, level);
        if (best.value <= search_.branch_cost) return best;
        if (depth <= 2 || node.size() <= kManyRows) descended(best.plan);
        if (depth <= 2 || best.value <= search_.branch_cost) return best;
        Cuts tests = start_cuts(node, depth, best, level);
        const bool affordable = depth <= kMostLevels && fits(node, tests, depth);
        if (affordable) descended(solve_on_cuts(search_, node, tests, depth, nodes));
        if (depth > 3) improve_sides(node, depth, nodes, level, best);
        if (affordable) narrow(node, depth, nodes, level, best);
        return best;
    }

private:
    void offer(const Grown& grown, int level) {
        if (level == 0) search_.incumbent.offer(grown.value, grown.plan);
    }

    bool take(Grown& best, Grown found, int level) {
        if (found.value >= best.value) return false;
        best = std::move(found);
        offer(best, level);
        return true;
    }

    bool fits(const Node& node, const Cuts& cuts, int depth) const {
        return cuts.size() > 0 && work_on_cuts(node, cuts.size(), depth) <= work_;
    }

    // As many quantiles as the work allows, and the tests of greedy trees and of the best one.
    Cuts start_cuts(Node& node, int depth, const Grown& best, int level) {
        worker_.prepare(node);
        Cuts own(node.n_columns());
        own.add(closed(search_, worker_, node, best.plan, level).get());
        worker_.count_pass(node);
        own.add(greedy_cuts(search_, node, depth));
        for (int count = node.size() > kManyRows || depth > 3 ? 4 : 8; count > 0; count /= 2) {
            Cuts all = quantile_cuts(search_, node, count);
            all.add(own);
            if (fits(node, all, depth)) return all;
        }
        return own;
    }

    // Both sides of the root anew, each by the recipe for one level less, then all tests again.
    void improve_sides(Node& node, int depth, int nodes, int level, Grown& best) {
        if (best.plan == nullptr || nodes < full_tree(depth)) return;
        for (int turn = 0; turn < 2; ++turn) {
            const std::shared_ptr<const Plan> plan = best.plan;
            auto own = std::make_shared<Plan>(*plan);
            own->open = false;
            Grown next{search_.branch_cost, own};
            for (int side = 0; side < 2; ++side) {
                Node* sides[2] = {&worker_.child(level, 0), &worker_.child(level, 1)};
                worker_.divide(node, plan->column,
                               node.rank_at(plan->column, worker_.position_of(node, *plan)), *sides[0],
                               *sides[1]);
                Node& child = *sides[side];
                const Grown now{search_.cost(child.leaf_cost()), nullptr};
                Grown below = descend(search_, worker_, child, plan->side[side], depth - 1,
                                      full_tree(depth - 1), level + 1);
                if (now.value < below.value) below = now;
                below = improve(child, depth - 1, full_tree(depth - 1), level + 1, below);
                own->side[side] = below.plan;
                next.value += below.value;
            }
            if (!take(best, next, level)) return;
            take(best, descend(search_, worker_, node, best.plan, depth, nodes, level), level);
        }
    }

    // Few cuts around the tests of the best tree instead of everywhere.
    void narrow(Node& node, int depth, int nodes, int level, Grown& best) {
        for (int turn = 0; turn < kWindowTurns && best.value > search_.branch_cost; ++turn) {
            const std::shared_ptr<const Plan> own = closed(search_, worker_, node, best.plan, level);
            Cuts tests(node.n_columns());
            tests.add(own.get());
            Cuts cuts = window_cuts(search_, node, tests, own.get(), depth > 3 ? kNarrowWindow : kWindow);
            cuts.add(tests);
            if (!fits(node, cuts, depth)) return;
            const auto plan = solve_on_cuts(search_, node, cuts, depth, nodes);
            if (!take(best, descend(search_, worker_, node, plan, depth, nodes, level), level)) return;
        }
    }

    Search& search_;
    Worker& worker_;
    const double work_;
};

// Grids from coarse to fine: each one takes 1.2 to 4 times as long as the one before.
Grid grid_of(int phase) {
    constexpr Grid kFirst[] = {{2, 4, 8}, {4, 4, 16}, {8, 8, 16}, {8, 16, 32}, {16, 16, 32}};
    if (phase < 5) return kFirst[phase];
    const int parts = 16 << ((phase - 3) / 2);
    return phase % 2 == 1 ? Grid{parts / 2, parts, 2 * parts} : Grid{parts, parts, 2 * parts};
}

void improve(Search& search, Worker& worker) {
    const bool cached = search.use_cache;
    search.use_cache = search.options.switches.cache;
    const double share = std::min(kCutsShare * search.work_left(), kMostCutsWork);
    within(search, kImprovements * share, [&] {
        Improver(search, worker, share)
            .improve(search.table.root, search.depth, search.nodes, 0,
                     {search.incumbent.value(), search.incumbent.solution()});
    });
    search.grid = {};
    search.use_cache = cached;
}

}  // namespace

void search_exactly(Search& search, Worker& worker) {
    // Of equally good trees the search finds one that needs few levels: the one before must not stay.
    const Cost known = search.incumbent.value(), limit = known > 0 ? known + 1 : 0;
    const Outcome outcome = worker.solve(search.table.root, search.depth, search.nodes, limit, 0);
    if (outcome.exact) search.incumbent.set(outcome.value, outcome.plan);
}

bool search_anytime(Search& search, Worker& worker) {
    if (within(search, search.effort.first_attempt, [&] { search_exactly(search, worker); })) return true;
    Node& root = search.table.root;
    if (search.depth > 2) improve(search, worker);
    if (kFirstWalks * std::pow(kWalksPerLevel, search.depth - 3) * worker.work_of(root) >
        kPhaseShare * search.work_left())
        return false;
    for (int phase = 0; grid_of(phase).root < root.size(); ++phase) {
        const double work = search.work(), seconds = search.elapsed();
        search.grid = grid_of(phase);
        const bool done = within(search, kPhaseShare * search.work_left(), [&] {
            search.raise_bound(
                worker.solve(root, search.depth, search.nodes, search.incumbent.value(), 0).value);
        });
        search.grid = {};
        const Cost best = search.incumbent.value(), left = best - search.lower_bound;
        if (left <= 0) return true;
        if (!done) return false;
        const double longer = 1 + kPerGap * static_cast<double>(left) / static_cast<double>(best);
        const double cells = search.work() - work, passed = search.elapsed() - seconds;
        if (longer * cells < search.work_left() && longer * passed < kExactShare * search.seconds_left())
            break;
        if (kNextPhase * cells > kPhaseShare * search.work_left()) return false;
        if (kNextPhase * passed > search.seconds_left()) break;
    }
    search_exactly(search, worker);
    return true;
}

}  // namespace streed::thresholds

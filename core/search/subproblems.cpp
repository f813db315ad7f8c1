// Questions about parts of one problem: the worker goes down the path, or shares out the splits of the root.
#include "search/subproblems.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>

#include "search/share.hpp"

namespace streed {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

}  // namespace

void Subproblems::prepare() {
    search_.restart();
    follows_ = false;
    if (prepared_) return;
    prepared_ = true;
    root_.node.load(reduced_, {&kernels_, options_.switches.narrow_lanes, options_.switches.sparse_rows,
                               options_.min_samples_leaf, search_.model.counted, search_.masked()});
    search_.take_memory(reduced_.bytes() + root_.node.bytes());
    search_.progress = [this] {
        follow_upper();
        Progress out;
        out.objective = upper_;
        out.lower_bound = -kInfinity;
        return out;
    };
}

// A tree costs its leaves and branching nodes in ticks, and what equal rows with different labels cost in any
// tree. The single leaf is counted both ways: that gives the latter for the rows of any path.
double Subproblems::base_of(const std::vector<Test>& path, double leaf) const {
    const std::size_t k = static_cast<std::size_t>(problem_.n_labels);
    std::vector<double> of_label(k, 0);
    double weight = 0;
    for (std::size_t r = 0; r < problem_.n_rows; ++r) {
        const std::uint8_t* row = problem_.features + r * problem_.n_features;
        if (!std::all_of(path.begin(), path.end(),
                         [&](const Test& test) { return (row[test.feature] != 0) == test.with; }))
            continue;
        if (problem_.costs != nullptr) {
            for (std::size_t c = 0; c < k; ++c) of_label[c] -= problem_.costs[r * k + c];
        } else {
            weight += problem_.weights[r];
            of_label[static_cast<std::size_t>(problem_.labels[r])] += problem_.weights[r];
        }
    }
    return weight - *std::max_element(of_label.begin(), of_label.end()) - search_.to_units(leaf);
}

// The least number of ticks that is no less than a cost; costs in ticks are whole.
double Subproblems::ticks_below(double units, double base) const {
    if (units == kInfinity) return kInfinity;
    const double ticks = (units - base) / search_.to_units(1), whole = std::nearbyint(ticks);
    return std::abs(ticks - whole) <= 1e-6 ? whole : std::ceil(ticks);
}

// To the child of the worker's node at `level`; false if no row is left.
bool Subproblems::descend(Worker& worker, const Test& test, std::vector<std::uint64_t>& rows, int& level) {
    const auto kept = std::find(reduced_.features.begin(), reduced_.features.end(), test.feature);
    if (kept == reduced_.features.end()) throw std::logic_error("a feature of a question was left out");
    const int feature = static_cast<int>(kept - reduced_.features.begin());
    const std::uint64_t* column = reduced_.columns.data() + static_cast<std::size_t>(feature) * rows.size();
    bool some = false, all = true;
    for (std::size_t w = 0; w < rows.size(); ++w) {
        const std::uint64_t left = rows[w] & (test.with ? column[w] : ~column[w]);
        some = some || left != 0;
        all = all && left == rows[w];
        rows[w] = left;
    }
    if (!some || all) return some;
    const Node& node = worker.level(level).node;
    const auto lane = std::find_if(node.active().begin(), node.active().end(),
                                   [&](std::int32_t l) { return node.feature(l) == feature; });
    if (lane == node.active().end())
        throw std::invalid_argument("path: the test of feature " + std::to_string(test.feature) +
                                    " leaves a side with fewer than min_samples_leaf rows");
    worker.descend(level, *lane, test.with);
    ++level;
    return true;
}

Answer Subproblems::solve(const std::vector<Test>& path, int depth, int nodes, double limit) {
    prepare();
    normalise(depth, nodes);
    Worker worker(search_, root_, true);
    worker.enter(root_);
    Answer answer;
    int level = 0;
    double base = 0;
    try {
        std::vector<std::uint64_t> rows = reduced_.valid;
        for (const Test& test : path)
            if (!descend(worker, test, rows, level)) return {base_of(path, 0), true, Status::optimal};
        Level& at = worker.level(level);
        base = base_of(path, at.leaf);
        const double upper = std::min(ticks_below(limit, base), at.leaf + 1);
        const Outcome outcome = worker.solve(level, depth, nodes, upper);
        answer = {base + search_.to_units(outcome.lower), outcome.exact && outcome.lower < upper,
                  Status::optimal};
    } catch (const Stopped&) {
        Level& at = worker.level(level);
        const bool begun = at.branching && at.depth == depth && at.nodes == nodes;
        const double least = begun ? at.lower_bound(search_) : std::min(at.leaf, search_.least_split());
        answer = {base_of(path, at.leaf) + search_.to_units(least), false, search_.status()};
    }
    root_.branching = false;
    return answer;
}

void Subproblems::listen(Listener listener) {
    if (!listener) {
        search_.closed = nullptr;
        return;
    }
    search_.closed = [this, listener = std::move(listener)](const ClosedSubproblem& closed) {
        ClosedPart part;
        for (const int literal : closed.path)
            part.path.push_back(
                {reduced_.features[static_cast<std::size_t>((literal - 1) / 2)], (literal - 1) % 2 == 1});
        part.depth = closed.depth;
        part.nodes = closed.nodes;
        part.bound = base_of(part.path, closed.leaf) + search_.to_units(closed.outcome.lower);
        part.exact = closed.outcome.exact;
        part.reason = closed.reason;
        listener(part);
    };
}

void Subproblems::lower(double value) {
    double known = upper_.load();
    while (value < known && !upper_.compare_exchange_weak(known, value)) {
    }
}

// Trees that cost no less than what others have found are of no interest.
void Subproblems::follow_upper() {
    if (!follows_ || !root_.branching) return;
    const SharedLock lock(root_);
    root_.best = std::min(root_.best, ticks_below(upper_, base_));
}

void Subproblems::publish() {
    const SharedLock lock(root_);
    if (root_.best < ticks_below(upper_, base_)) lower(base_ + search_.to_units(root_.best));
}

// What earlier questions have proven of the children of the root, and this one.
void Subproblems::keep_bounds(std::vector<double>& known) {
    known.resize(root_.lower.size(), search_.floor());
    for (std::size_t k = 0; k < known.size(); ++k)
        known[k] = root_.lower[k] = std::max(root_.lower[k], known[k]);
}

// Of the trees that begin with a feature, as far as their children are bounded.
double Subproblems::bound_of(int lane) {
    double least = kInfinity;
    for (int k = 0; k < root_.n_budgets; ++k)
        least = std::min(least,
                         root_.joined(root_.bound(root_.least_nodes + k, false, lane),
                                      root_.bound(root_.least_nodes + root_.n_budgets - 1 - k, true, lane),
                                      root_.branch[static_cast<std::size_t>(lane)]));
    return base_ + search_.to_units(std::max(least, search_.floor()));
}

RootBounds Subproblems::solve_roots(const std::vector<int>& features, int depth, int nodes) {
    normalise(depth, nodes);
    if (depth <= 2) {  // no more than one kernel
        const Answer answer = solve({}, depth, nodes, kInfinity);
        if (answer.exact) lower(answer.value);
        return {std::vector<double>(features.size(), answer.value), answer.status};
    }
    prepare();
    follows_ = true;
    RootBounds out;
    Worker main(search_, root_, true);
    main.enter(root_);
    base_ = base_of({}, root_.leaf);
    try {
        main.begin_branching(0, depth, nodes, std::min(ticks_below(upper_, base_), root_.leaf + 1));
        keep_bounds(known_[{depth, nodes}]);
        publish();
        std::erase_if(root_.order, [&](std::int32_t lane) {
            const int own = reduced_.features[static_cast<std::size_t>(root_.node.feature(lane))];
            return std::find(features.begin(), features.end(), own) == features.end();
        });
        const auto make = [this] { return std::make_unique<Worker>(search_, root_, false); };
        share_root(search_, root_, main, make, [this](Worker& worker, std::size_t k) {
            follow_upper();
            worker.try_feature(0, root_.order[k]);
            publish();
        });
        main.record_children(root_);
    } catch (const Stopped&) {
        out.status = search_.status();
    }
    const double trivial = base_ + search_.to_units(search_.least_split());
    out.bounds.assign(features.size(), root_.branching ? kInfinity : trivial);
    if (root_.branching) {
        keep_bounds(known_[{depth, nodes}]);
        for (const std::int32_t lane : root_.node.active()) {
            const int own = reduced_.features[static_cast<std::size_t>(root_.node.feature(lane))];
            for (std::size_t k = 0; k < features.size(); ++k)
                if (features[k] == own) out.bounds[k] = std::max(trivial, bound_of(lane));
        }
    }
    root_.branching = false;
    return out;
}

}  // namespace streed

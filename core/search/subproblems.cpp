// Questions about parts of one problem: the worker goes down the path, or shares out the splits of the root.
#include "search/subproblems.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <string>
#include <utility>

namespace streed {

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
        const double upper = std::min(ticks(limit, base), at.leaf + 1);
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

}  // namespace streed

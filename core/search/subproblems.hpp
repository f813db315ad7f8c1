// One problem that is asked about its parts: the value of a subproblem, or bounds of root splits. The
// reduction, the caches and the bounds stay from question to question, so that a search can be led from
// outside, and a root can be shared by several processes.
#pragma once

#include <atomic>
#include <functional>
#include <map>
#include <utility>
#include <vector>

#include "search/prepared.hpp"

namespace streed {

// Rows that have a feature of the problem, or lack it.
struct Test {
    int feature = 0;
    bool with = true;
};

// `value` is that of the best tree if `exact`, else no tree costs less.
struct Answer {
    double value = 0;
    bool exact = false;
    Status status = Status::optimal;  // why it is not known whether a tree below the limit exists
};

// Bounds of trees that begin with each of the features that were asked for; infinite where a feature does not
// separate rows whose costs matter.
struct RootBounds {
    std::vector<double> bounds;
    Status status = Status::optimal;
};

// A subproblem that a question has closed, as `Answer` says it; `reason` as in search.hpp.
struct ClosedPart {
    std::vector<Test> path;
    int depth = 0, nodes = 0;
    double bound = 0;
    bool exact = false;
    Reason reason = Reason::leaf;
};
using Listener = std::function<void(const ClosedPart&)>;

// Leaves cost sums over their rows, tests have no prices. Limits of depth and nodes come with each question,
// that of time holds for each of them. `options` must keep all features: a question may name any of them.
class Subproblems : private PreparedSearch {
public:
    Subproblems(const Problem& problem, const Options& options) : PreparedSearch(problem, options) {}

    // Trees that cost less than `limit`, for the rows that pass all tests.
    Answer solve(const std::vector<Test>& path, int depth, int nodes, double limit);

    // Trees whose root has one of the features and that cost less than `upper()`. Any thread may lower that
    // at any time; what is found lowers it, too. Both take effect with the next child of the root.
    RootBounds solve_roots(const std::vector<int>& features, int depth, int nodes);
    double upper() const { return upper_.load(); }
    void lower(double value);

    // From now on `listener` is told of every subproblem that a question closes, by any thread; empty: no
    // one is.
    void listen(Listener listener);
    void stop() { search_.stop(Status::interrupted); }  // ends the question under way

private:
    bool descend(Worker& worker, const Test& test, std::vector<std::uint64_t>& rows, int& level);
    double base_of(const std::vector<Test>& path, double leaf) const;
    double ticks_below(double units, double base) const;
    void prepare();
    void follow_upper();
    void publish();
    void keep_bounds(std::vector<double>& known);
    double bound_of(int lane);

    bool prepared_ = false;
    bool follows_ = false;  // the root's best cost goes down with `upper_`
    double base_ = 0;       // of all rows
    std::atomic<double> upper_{std::numeric_limits<double>::infinity()};
    std::map<std::pair<int, int>, std::vector<double>> known_;  // Level::lower of the root by depth and nodes
};

}  // namespace streed

// Whole fronts: all nondominated points within a region.
#include <algorithm>
#include <cmath>
#include <memory>

#include "../search/dispatch.hpp"
#include "front_search.hpp"
#include "goals.hpp"
#include "sizes.hpp"
#include "trees.hpp"

namespace streed {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

std::vector<Component> plain_components(int n_values, int size) {
    std::vector<Component> components(static_cast<std::size_t>(size));
    for (int j = 0; j < n_values; ++j) components[static_cast<std::size_t>(j)].source = j;
    return components;
}

template <int M>
class WholeFront {
public:
    WholeFront(const VectorProblem& problem, const Region& region, Control& control)
        : problem_(problem),
          region_(region),
          control_(control),
          kernels_(select_kernels(control.options.simd)),
          rows_(problem, plain_components(problem.n_values, M), control.options),
          weights_(M, 0) {
        ceiling_.fill(kInfinity);
        budget_ = region.budget;
        for (std::size_t j = 0; j < region.upper.size(); ++j) {
            // On a grid a sum may be off by half a grain per row; a tree exactly on the limit is within it.
            const double play = rows_.grain[j] == 1 ? 0 : static_cast<double>(problem.n_rows) / 2 + 1;
            ceiling_[j] = std::floor(region.upper[j] / rows_.grain[j] + play) - rows_.origin[j];
            weights_[j] = region.weights[j] * rows_.grain[j];
            budget_ += play * weights_[j];
        }
    }

    FrontResult run();

private:
    double weigh(const std::vector<double>& v) const {
        double sum = 0;
        for (std::size_t j = 0; j < static_cast<std::size_t>(M); ++j) sum += weights_[j] * v[j];
        return sum;
    }
    void search(Scalar* guide, int depth, int nodes);
    void collect(const Arena& arena);

    const VectorProblem& problem_;
    const Region& region_;
    Control& control_;
    const Kernels& kernels_;
    Rows rows_;
    std::vector<double> weights_;  // per grain
    double budget_;
    Vector<M> ceiling_;  // relative to the origin
    Accumulator<M> points_;
    FrontResult result_;
};

// One front search; what was found until a limit of time is kept.
template <int M>
void WholeFront<M>::search(Scalar* guide, int depth, int nodes) {
    FrontSearch<M> search(rows_, kernels_, control_, guide, 0);
    const double threshold = guide != nullptr ? budget_ - weigh(rows_.origin) + 4 * guide->slack() : kInfinity;
    Part all;
    all.select(rows_, kernels_, rows_.valid);
    const double branches = rows_.branch[0] * static_cast<double>(std::min<std::size_t>(static_cast<std::size_t>(nodes), rows_.n_rows));
    points_.begin(0, threshold, ceiling_, all.lowest(0), all.highest(0) + branches, 65536);
    try {
        search.run(depth, nodes, points_);
        result_.complete = true;
    } catch (const Stopped&) {
        collect(search.arena);
        throw;
    }
    collect(search.arena);
}

template <int M>
void WholeFront<M>::collect(const Arena& arena) {
    const std::size_t m = static_cast<std::size_t>(problem_.n_values);
    for (const Candidate<M>& c : points_.finish()) {
        std::vector<double> value(m);
        double weighted = 0;
        for (std::size_t j = 0; j < m; ++j) {
            value[j] = (c.v[j] + rows_.origin[j]) * rows_.grain[j];
            weighted += (c.v[j] + rows_.origin[j]) * weights_[j];
        }
        if (weighted > budget_) continue;
        result_.values.push_back(std::move(value));
        result_.trees.push_back(finished_tree(unfolded<M>(c, arena), rows_));
    }
}

template <int M>
FrontResult WholeFront<M>::run() {
    int depth = control_.options.max_depth;
    int nodes = control_.options.max_nodes;
    normalise(depth, nodes);
    try {
        control_.checkpoint();
        std::unique_ptr<Scalar> guide;
        if (std::isfinite(budget_) && Scalar::supports(rows_)) {
            guide = std::make_unique<Scalar>(rows_, weights_, control_, kernels_);
            std::vector<double> support = region_.weights;
            support.push_back(guide->solve(depth, nodes, budget_).lower);
            result_.supports.push_back(support);
        }
        search(guide.get(), depth, nodes);
    } catch (const Stopped&) {
        if (control_.status == Status::optimal) control_.status = control_.elapsed() > control_.options.time_limit ? Status::time_limit : Status::interrupted;
        result_.status = control_.status;
    }
    result_.statistics = {{"front_work", control_.work_done()},
                          {"rows_merged", static_cast<double>(rows_.n_merged)},
                          {"features_kept", static_cast<double>(rows_.features.size())}};
    result_.seconds = control_.elapsed();
    return result_;
}

}  // namespace

FrontResult solve_front(const VectorProblem& problem, const Region& region, const Options& options) {
    Control control(options);
    return with_size(problem.n_values, [&]<int M>() { return WholeFront<M>(problem, region, control).run(); });
}

}  // namespace streed

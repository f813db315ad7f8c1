// The front or the best tree of components of any kind, level by level up to the limit of the depth.
#include "front/mixed/solve.hpp"

#include <algorithm>
#include <cmath>
#include <memory>

#include "front/mixed/search.hpp"
#include "front/mixed/tree.hpp"
#include "front/points/sizes.hpp"
#include "front/scalar/goals.hpp"
#include "kernels/dispatch.hpp"
#include "leaves/leaf_models.hpp"

namespace streed {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

// The components of a search in their order: sums with two limits, objectives, the rest. A limit from above
// on a maximum is none of them, it only forbids leaves.
struct MixedPlan {
    std::vector<MixedSlot> slots;
    std::vector<double> low, high;  // in ticks
    std::vector<std::pair<int, double>> filters;
    int equal = 0, objective = -1;  // the latter where there is one only
};

MixedPlan make_plan(const MixedLeaves& leaves) {
    MixedPlan plan;
    const auto add = [&](std::size_t p, double sign, double low, double high) {
        const MixedPart& part = leaves.parts()[p];
        MixedSlot slot;
        slot.part = static_cast<int>(p);
        slot.sign = sign;
        slot.join = !part.maximum ? Join::sum : sign > 0 ? Join::max : Join::min;
        slot.branch = sign * std::nearbyint(part.branch_cost / leaves.grain(p));
        if (sign > 0) slot.least = leaves.least_column(p);
        if (sign > 0 && leaves.rising(p)) slot.floor = 0;
        plan.slots.push_back(slot);
        plan.low.push_back(low);
        plan.high.push_back(high);
    };
    const auto ticks = [&](std::size_t p, double limit, bool above) {
        return above ? std::floor(limit / leaves.grain(p) + leaves.play(p))
                     : std::ceil(limit / leaves.grain(p) - leaves.play(p));
    };
    const std::vector<MixedPart>& parts = leaves.parts();
    int objectives = 0;
    for (std::size_t p = 0; p < parts.size(); ++p) {
        objectives += parts[p].objective ? 1 : 0;
        if (parts[p].objective || parts[p].maximum || !std::isfinite(parts[p].lower) ||
            !std::isfinite(parts[p].upper))
            continue;
        add(p, 1, ticks(p, parts[p].lower, false), ticks(p, parts[p].upper, true));
        ++plan.equal;
    }
    for (std::size_t p = 0; p < parts.size(); ++p) {
        if (!parts[p].objective) continue;
        if (objectives == 1) plan.objective = static_cast<int>(plan.slots.size());
        add(p, 1, -kInfinity, kInfinity);
    }
    for (std::size_t p = 0; p < parts.size(); ++p) {
        if (parts[p].objective) continue;
        const bool above = std::isfinite(parts[p].upper), below = std::isfinite(parts[p].lower);
        if (parts[p].maximum && above)
            plan.filters.push_back({static_cast<int>(p), ticks(p, parts[p].upper, true)});
        if (!parts[p].maximum && above && !below) add(p, 1, -kInfinity, ticks(p, parts[p].upper, true));
        if (below && (parts[p].maximum || !above)) add(p, -1, -kInfinity, -ticks(p, parts[p].lower, false));
    }
    return plan;
}

template <int M>
class MixedFront {
public:
    MixedFront(const MixedPlan& plan, MixedLeaves& leaves, Control& control)
        : leaves_(leaves),
          control_(control),
          kernels_(select_kernels(control.options.simd)),
          options_(control.options),
          reduced_(
              reduce(leaves.rows(), {options_.switches.merge_rows, options_.switches.drop_features, true})),
          objective_(plan.objective) {
        options_.memory_limit = control.ledger.share();
        options_.max_depth = 1;  // no table of the costs of leaves, which are nothing
        options_.time_limit = kInfinity;
        options_.poll = nullptr;
        search_ = std::make_unique<Search>(leaves.rows(), reduced_, options_, kernels_, control.started);
        root_.node.load(reduced_, {&kernels_, options_.switches.narrow_lanes, options_.switches.sparse_rows,
                                   options_.min_samples_leaf, true});
        search_->take_memory(reduced_.bytes() + root_.node.bytes());
        control.ledger.enter(search_->memory);
        worker_ = std::make_unique<Worker>(*search_, root_, true);
        worker_->enter(root_);
        ceiling_.fill(kInfinity);
        floor_.fill(-kInfinity);
        shape_.equal = plan.equal;
        shape_.filters = plan.filters;
        for (std::size_t j = 0; j < plan.slots.size(); ++j) {
            shape_.slot[j] = plan.slots[j];
            floor_[j] = plan.low[j];
            ceiling_[j] = plan.high[j];
        }
        for (std::size_t j = plan.slots.size(); j < static_cast<std::size_t>(M); ++j)
            shape_.slot[j].floor = 0;
        depth_ = control.options.max_depth;
        nodes_ = control.options.max_nodes;
        normalise(depth_, nodes_);
    }

    ~MixedFront() { control_.ledger.leave(search_->memory); }
    MixedFront(const MixedFront&) = delete;
    MixedFront& operator=(const MixedFront&) = delete;

    MixedResult run();

private:
    void report(const Keeper<M>& sink, const Arena& arena, MixedResult& result);

    MixedLeaves& leaves_;
    Control& control_;
    const Kernels& kernels_;
    Options options_;
    ReducedProblem reduced_;
    std::unique_ptr<Search> search_;
    Level root_;
    std::unique_ptr<Worker> worker_;
    MixedShape<M> shape_;
    Vector<M> ceiling_, floor_;
    int objective_, depth_ = 0, nodes_ = 0;
};

template <int M>
void MixedFront<M>::report(const Keeper<M>& sink, const Arena& arena, MixedResult& result) {
    MixedTrees trees(reduced_, leaves_, control_);
    for (const Candidate<M>& c : sink.list) {
        if (!below<M>(floor_, c.v)) continue;
        Tree tree = unfolded<M>(c, arena);
        if (result.complete) tree = trees.simplified(std::move(tree));  // else time is up
        result.trees.push_back(trees.finished(std::move(tree)));
    }
}

template <int M>
MixedResult MixedFront<M>::run() {
    MixedResult result;
    MixedSearch<M> search(shape_, leaves_, *search_, *worker_, control_);
    Keeper<M> sink(shape_.equal, ceiling_, objective_, control_);
    sink.set_floor(&floor_);
    if (objective_ >= 0)
        result.lower_bound = search.root_bound()[static_cast<std::size_t>(objective_)] *
                             leaves_.grain(static_cast<std::size_t>(shape_.slot[objective_].part));
    try {
        search.run(0, 0, sink);
        control_.checkpoint();
        // Smaller depths first: their points tighten the bound set, and there is a tree when the search has
        // to end early.
        for (int d = std::min(depth_, 2); d <= depth_; ++d) {
            int depth = d, nodes = nodes_;
            normalise(depth, nodes);
            search.run(depth, nodes, sink);
        }
        result.complete = true;
    } catch (const Stopped&) {
        if (control_.status == Status::optimal)
            control_.status = control_.elapsed() > control_.options.time_limit ? Status::time_limit
                                                                               : Status::interrupted;
        result.status = control_.status;
    }
    control_.ledger.lenient = true;  // the points found so far are put together
    sink.filter(false);
    report(sink, search.arena, result);
    result.statistics = {
        {"solved", static_cast<double>(search.solved)},
        {"front_work", control_.work_done()},
        {"peak_memory", static_cast<double>(std::max(control_.ledger.peak(), search_->memory.peak()))},
        {"rows_merged", static_cast<double>(root_.node.n_slots())},
        {"features_kept", static_cast<double>(reduced_.features.size())}};
    result.seconds = control_.elapsed();
    return result;
}

}  // namespace

MixedResult solve_mixed(const MixedProblem& problem, const Options& options) {
    Control control(options);
    MixedLeaves leaves(problem, control);
    const MixedPlan plan = make_plan(leaves);
    return with_size(static_cast<int>(plan.slots.size()),
                     [&]<int M>() { return MixedFront<M>(plan, leaves, control).run(); });
}

}  // namespace streed

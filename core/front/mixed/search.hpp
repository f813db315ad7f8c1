// Algorithm 1 of the paper for vectors whose components are sums or maxima over leaves.
//
// A node keeps the points below its ceiling: what the parent's ceiling leaves once the other side has its
// least. Fronts are remembered with the ceiling they were made for. Where only one component is to be
// minimised, each point lowers the ceiling below itself, and the search is a branch and bound.
#pragma once

#include <limits>
#include <string>
#include <unordered_map>
#include <vector>

#include "front/mixed/leaves.hpp"
#include "front/points/points.hpp"
#include "search/worker.hpp"

namespace streed {

enum class Join { sum, max, min };

// A component of the search: a part of the problem or its negative (for a limit from below), and how subtrees
// are joined.
struct MixedSlot {
    int part = -1;  // none: always 0
    double sign = 1;
    Join join = Join::sum;
    double branch = 0;                                        // in ticks
    int least = -1;                                           // column of what rows cost at least
    double floor = -std::numeric_limits<double>::infinity();  // nothing is below this
};

// The components of the search. The first `equal` ones must agree for one point to dominate another.
template <int M>
struct MixedShape {
    MixedSlot slot[static_cast<std::size_t>(M)];
    int equal = 0;
    std::vector<std::pair<int, double>> filters;  // parts of which no leaf may cost more than that

    Vector<M> join(const Vector<M>& a, const Vector<M>& b) const {
        Vector<M> out;
        for (std::size_t j = 0; j < static_cast<std::size_t>(M); ++j)
            out[j] = slot[j].join == Join::sum   ? a[j] + b[j] + slot[j].branch
                     : slot[j].join == Join::max ? std::max(a[j], b[j])
                                                 : std::min(a[j], b[j]);
        return out;
    }
    // The ceiling of one side if the whole has this one and the other side at least `other`.
    Vector<M> side_ceiling(const Vector<M>& ceiling, const Vector<M>& other) const {
        Vector<M> out;
        for (std::size_t j = 0; j < static_cast<std::size_t>(M); ++j)
            out[j] = slot[j].join == Join::sum   ? ceiling[j] - slot[j].branch - other[j]
                     : slot[j].join == Join::max ? ceiling[j]
                                                 : std::numeric_limits<double>::infinity();
        return out;
    }
};

// The points of one node, or of the root: all that are not dominated, or the one of least `objective`.
template <int M>
class Keeper {
public:
    Keeper(int equal, const Vector<M>& the_ceiling, int objective, Control& control)
        : ceiling(the_ceiling),
          list(Counted<Candidate<M>>(control.ledger)),
          control_(control),
          equal_(equal),
          objective_(objective) {}

    void add(const Candidate<M>& point) {
        if (!below<M>(point.v, ceiling)) return;
        if (objective_ >= 0) {
            if (floor_ != nullptr && !below<M>(*floor_, point.v)) return;
            const std::size_t j = static_cast<std::size_t>(objective_);
            list.assign(1, point);
            ceiling[j] = point.v[j] - 1;
            return;
        }
        if (equal_ == 0)
            for (std::size_t k = 0; k < known_; ++k)
                if (below<M>(list[k].v, point.v)) return;
        list.push_back(point);
        if (list.size() > limit_) filter();
    }
    // Whether nothing at or above a vector is wanted any more.
    bool covers(const Vector<M>& v) const {
        if (!below<M>(v, ceiling)) return true;
        if (equal_ > 0 || objective_ >= 0) return false;
        for (std::size_t k = 0; k < std::min<std::size_t>(list.size(), 256); ++k)
            if (below<M>(list[k].v, v)) return true;
        return false;
    }
    // After the search the clock is no longer checked.
    void filter(bool searching = true) {
        if (objective_ < 0)
            nondominated<M>(list, equal_, std::min(filtered_, list.size()), [&](double amount) {
                if (searching) control_.work(amount);
            });
        filtered_ = list.size();
        limit_ = 2 * list.size() + 64;
        known_ = std::min<std::size_t>(list.size(), 16);
    }
    void set_floor(const Vector<M>* floor) { floor_ = floor; }  // a single point is wanted above it only

    Vector<M> ceiling;
    CountedVector<Candidate<M>> list;

private:
    Control& control_;
    int equal_, objective_;
    const Vector<M>* floor_ = nullptr;
    std::size_t limit_ = 64, filtered_ = 0;
    std::size_t known_ = 0;  // points that are looked at before another one is taken
};

template <int M>
class MixedSearch {
public:
    using Points = CountedVector<Point<M>>;

    MixedSearch(const MixedShape<M>& shape, MixedLeaves& leaves, Search& search, Worker& worker,
                Control& control)
        : arena(control.ledger),
          shape_(shape),
          leaves_(leaves),
          search_(search),
          worker_(worker),
          control_(control),
          least_rows_(control.options.min_samples_leaf) {}

    void run(int depth, int nodes, Keeper<M>& sink) { expand(0, depth, nodes, sink); }
    Vector<M> root_bound() { return least(-1, false, 0); }

    Arena arena;
    std::size_t solved = 0;

private:
    struct Known {
        Vector<M> ceiling;
        std::vector<Point<M>> points;  // counted as a cache
    };
    Points none() const { return Points(Counted<Point<M>>(control_.ledger)); }

    void expand(int at, int depth, int nodes, Keeper<M>& sink);
    void deep(int at, int depth, int nodes, Keeper<M>& sink);
    void try_split(int at, int depth, int nodes, int lane, Keeper<M>& sink);
    void pairs(int at, int depth, int nodes, Keeper<M>& sink, std::vector<double>* look);
    void load_cells(const Node& node, const CellPlan& plan, const void* table, std::size_t root);
    void add_stumps(const Node& node, const CellPlan& plan, std::size_t root, bool side, Keeper<M>& sink);
    Points front(int at, int depth, int nodes, const Vector<M>& ceiling);
    Points settle(Keeper<M>& sink);
    void join(const Points& lefts, const Points& rights, std::int32_t feature, Keeper<M>& sink);
    Vector<M> least(int lane, bool side, int at);
    Vector<M> least_of_side(const CellPlan& plan, std::size_t root, bool side) const;

    struct Labelled {
        Vector<M> v;
        std::int32_t leaf;  // ~label
    };

    // The labels that a leaf may have, without those that are no better than an earlier one in anything.
    void find_labels(const std::vector<double>& ticks, std::size_t n, std::size_t leaf,
                     std::vector<Labelled>& out) const {
        const std::size_t labels = static_cast<std::size_t>(leaves_.n_labels());
        out.clear();
        for (std::size_t k = 0; k < labels; ++k) {
            bool allowed = true;
            for (const auto& [part, most] : shape_.filters)
                allowed = allowed && ticks[(static_cast<std::size_t>(part) * labels + k) * n + leaf] <= most;
            if (!allowed) continue;
            Vector<M> v{};
            for (std::size_t j = 0; j < static_cast<std::size_t>(M); ++j)
                if (shape_.slot[j].part >= 0)
                    v[j] = shape_.slot[j].sign *
                           ticks[(static_cast<std::size_t>(shape_.slot[j].part) * labels + k) * n + leaf];
            for (std::size_t p = 0; p < out.size() && shape_.equal == 0; ++p)
                allowed = allowed && !below<M>(out[p].v, v);
            if (allowed) out.push_back({v, ~static_cast<std::int32_t>(k)});
        }
    }
    int objective() const { return M == 1 ? 0 : -1; }  // of the nodes below the root

    const MixedShape<M>& shape_;
    MixedLeaves& leaves_;
    Search& search_;
    Worker& worker_;
    Control& control_;
    double least_rows_;
    std::unordered_map<std::string, Known> known_;
    std::vector<double> sums_, ticks_, singles_, sizes_, cells_;
    std::vector<Labelled> labels_, others_;
};

}  // namespace streed

#include "front/mixed/search_impl.hpp"

// Two levels over thresholds: intervals of root thresholds share the lanes of a walk.
#include <algorithm>

#include "thresholds/search/search.hpp"

namespace streed::thresholds {

// The best tree with two levels, by intervals of root thresholds. The intervals with the least bounds share
// the lanes of a walk: few intervals get several thresholds each. The first walk has one more lane, with all
// rows on one side: its stump bounds the sides at the ends of every column.
struct Worker::DepthTwo {
    Worker& worker;
    Search& search;
    Node& node;
    const Shape shape;
    Cost limit;
    const int level;
    std::vector<Probe>* probes;

    PairLists& lists;
    Cost relaxed = kInfinite;  // of the thresholds tried
    bool found = false;
    int column = -1, position = 0;
    const int width;

    DepthTwo(Worker& the_worker, Node& the_node, Shape the_shape, Cost the_limit, int the_level,
             std::vector<Probe>* the_probes)
        : worker(the_worker),
          search(the_worker.search_),
          node(the_node),
          shape(the_shape),
          limit(the_limit),
          level(the_level),
          probes(the_probes),
          lists(the_worker.pairs_),
          width(lanes_of()) {
        lists.frontier.clear();
    }

    int lanes_of() const {
        return (worker.walks_costs(node) ? search.kernels.cost_lanes
                                         : search.kernels.lanes)[static_cast<int>(node.width())];
    }

    Cost room() const { return limit - search.branch_cost; }

    // Costs of a side of a lane: with leaves of any size, and of the least size.
    std::pair<Cost, Cost> costs(int side, std::size_t lane, Cost weight) const {
        const Cost leaf = worker.side_cost(node, weight, lists.sides.leaf[side][lane]);
        if (!shape.split[side]) return {leaf, leaf};
        const Cost any = std::min(
            leaf, worker.side_cost(node, weight, lists.sides.stump[side][lane]) + search.branch_cost);
        if (search.least_rows == 1) return {any, any};
        return {any, std::min(leaf, worker.side_cost(node, weight, lists.sides.limited[side][lane]) +
                                        search.branch_cost)};
    }

    void take(int room_for) {
        lists.taken.clear();
        lists.ranges.clear();
        while (!lists.frontier.empty() && static_cast<int>(lists.taken.size()) < room_for) {
            if (lists.frontier.best().bound >= room()) {
                lists.frontier.clear();
                break;
            }
            const Interval interval = lists.frontier.pop();
            int first, last;
            if (!candidates(node, interval, room(), search.table.ticks, first, last)) continue;
            lists.taken.push_back(interval);
            lists.ranges.emplace_back(first, last);
        }
    }

    // Lanes by column, so that the ranks of a column are read once; thresholds of an interval at equal
    // distances.
    void place(int room_for) {
        const int n = static_cast<int>(lists.taken.size()), each = room_for / n, more = room_for % n;
        lists.sorted.resize(lists.taken.size());
        for (int k = 0; k < n; ++k) lists.sorted[static_cast<std::size_t>(k)] = k;
        std::sort(lists.sorted.begin(), lists.sorted.end(), [&](int a, int b) {
            return lists.taken[static_cast<std::size_t>(a)].column <
                   lists.taken[static_cast<std::size_t>(b)].column;
        });
        lists.lanes.clear();
        lists.positions.clear();
        lists.starts.clear();
        for (const int which : lists.sorted) {
            lists.starts.push_back(static_cast<int>(lists.lanes.size()));
            const int j = lists.taken[static_cast<std::size_t>(which)].column,
                      parts = each + (which < more ? 1 : 0);
            const auto [first, last] = lists.ranges[static_cast<std::size_t>(which)];
            int before = 0;
            for (int part = 1; part <= parts; ++part) {
                const int aim = first +
                                static_cast<int>((static_cast<long>(last) - first + 1) * part / (parts + 1));
                const int at = std::min(last, node.threshold_from(j, aim));
                if (at <= before) continue;
                before = at;
                lists.lanes.push_back({j, node.rank_at(j, at)});
                lists.positions.push_back(at);
            }
        }
        lists.starts.push_back(static_cast<int>(lists.lanes.size()));
    }

    void push(Interval interval) {
        if (interval.high - interval.low < 2) return;
        interval.set_bound(search.cost(node.weight_up_to(interval.column, interval.high) -
                                       node.weight_up_to(interval.column, interval.low)));
        if (interval.bound >= room()) return;
        if (interval.high - interval.low > search.undivided(node.size(), 2))
            lists.frontier.push(interval);
        else if (search.grid.bounds())
            limit = interval.bound + search.branch_cost;
    }

    // All rows on one side: the bounds at the ends of all columns.
    void set_ends(std::size_t lane) {
        const Cost all = node.weight();
        const Cost lower = costs(0, lane, all).first;
        Cost upper = lower;
        if (shape.split[0] != shape.split[1]) {
            const Cost leaf = search.cost(node.leaf_cost());
            const Cost stump = std::min(
                leaf, worker.side_cost(node, all, lists.sides.stump[0][lane]) + search.branch_cost);
            upper = shape.split[1] ? stump : leaf;
        }
        for (std::vector<Interval>* some : {&lists.taken, &lists.frontier.all()})
            for (Interval& interval : *some) {
                interval.lower_high = lower;
                interval.upper_low = upper;
            }
    }

    void read_lanes() {
        lists.bounds.clear();
        for (std::size_t l = 0; l < lists.positions.size(); ++l) {
            const int j = lists.lanes[l].column;
            const Cost below = node.weight_up_to(j, lists.positions[l]);
            const auto lower = costs(0, l, below), upper = costs(1, l, node.weight() - below);
            lists.bounds.emplace_back(lower.first, upper.first);
            relaxed = std::min(relaxed, search.branch_cost + lower.first + upper.first);
            const bool fits = std::min(lists.positions[l], node.size() - lists.positions[l]) >=
                              search.least_rows;
            const Cost value = fits ? std::min(kInfinite, search.branch_cost + lower.second + upper.second)
                                    : kInfinite;
            if (probes != nullptr) probes->push_back({value, j, lists.positions[l]});
            if (value >= limit) continue;
            limit = value;
            found = true;
            column = j;
            position = lists.positions[l];
            if (level == 0 && !search.grid.bounds()) search.incumbent.offer(value, make_plan());
        }
    }

    std::shared_ptr<const Plan> make_plan() const {
        const std::shared_ptr<Plan> plan = worker.make_plan(node, column, position);
        plan->open = true;
        for (int side = 0; side < 2; ++side) plan->nodes[side] = shape.split[side] ? 1 : 0;
        return plan;
    }

    void split_intervals() {
        for (std::size_t k = 0; k < lists.sorted.size(); ++k) {
            Interval rest = lists.taken[static_cast<std::size_t>(lists.sorted[k])];
            for (std::size_t l = static_cast<std::size_t>(lists.starts[k]);
                 l < static_cast<std::size_t>(lists.starts[k + 1]); ++l) {
                Interval part = rest;
                part.high = rest.low = lists.positions[l];
                part.lower_high = rest.lower_low = lists.bounds[l].first;
                part.upper_high = rest.upper_low = lists.bounds[l].second;
                push(part);
            }
            push(rest);
        }
    }

    Outcome run() {
        ++worker.statistics.depth_two_solves;
        const Cost leaf = search.cost(node.leaf_cost()), asked = limit;
        const bool leaf_fits = leaf < limit;
        if (leaf_fits) limit = leaf;
        for (int j = 0; j < node.n_columns(); ++j)
            if (!node.constant(j)) lists.frontier.push({j, 0, node.size(), 0, 0, 0, 0, 0, 0});
        bool ends_known = false;
        while (!lists.frontier.empty()) {
            const int room_for = ends_known ? width : width - 1;
            take(room_for);
            if (lists.taken.empty()) break;
            place(room_for);
            if (!ends_known)
                lists.lanes.push_back({lists.lanes[0].column, std::numeric_limits<std::int16_t>::max()});
            if (!ends_known && node.wide())
                lists.lanes.back().rank = std::numeric_limits<std::int32_t>::max();
            worker.evaluate(node, lists.lanes, lists.sides);
            if (!ends_known) set_ends(lists.lanes.size() - 1);
            ends_known = true;
            read_lanes();
            if (limit <= search.branch_cost) break;
            split_intervals();
            if (search.is_whole(level, 2, 3) && !lists.frontier.empty())
                search.raise_bound(std::min(limit, lists.frontier.best().bound + search.branch_cost));
        }
        relaxed = std::min({relaxed, leaf, limit});
        if (search.grid.bounds()) return {relaxed, relaxed, false, nullptr};
        if (!found)
            return leaf_fits ? Outcome{leaf, relaxed, true, nullptr}
                             : Outcome{asked, relaxed, false, nullptr};
        return {limit, relaxed, true, make_plan()};
    }
};

Outcome Worker::depth_two(Node& node, Shape shape, Cost limit, int level, std::vector<Probe>* probes) {
    return DepthTwo(*this, node, shape, limit, level, probes).run();
}

}  // namespace streed::thresholds

// Intervals of thresholds that are still open, with bounds of both sides at their ends.
#pragma once

#include <algorithm>
#include <vector>

#include "thresholds/rows/node.hpp"

namespace streed::thresholds {

// The thresholds of a column strictly between the positions `low` and `high`, with lower bounds of both sides
// at both ends. The lower side grows with the position and the upper side shrinks. A side costs no less with
// more rows (any tree for the larger set serves the smaller one), and with rows taken away it loses at most
// their weight. So the sum of the sides between the ends is at least
//   lower(low) + upper(high)   and   lower(high) + upper(low) - weight between the ends.
// This is the interval pruning of ConTree (Briţa, van der Linden, Demirović: "Optimal classification trees
// for continuous feature data using dynamic programming with branch-and-bound", 2025), with bounds of weights
// instead of rows.
// With a least size of leaves the first rule does not hold, since taking rows away may leave a leaf too
// small. All bounds are then those of trees without it, which the walks find along the way: thresholds near
// the ends of a column are tried for their bounds alone.
struct Interval {
    std::int32_t column = 0;
    std::int32_t low = 0;
    std::int32_t high = 0;
    std::int32_t share = 0;  // of the node budget: which way it is divided
    Cost lower_low = 0, upper_low = 0;
    Cost lower_high = 0, upper_high = 0;
    Cost bound = 0;

    void set_bound(Cost weight_between) {
        bound = std::max({bound, lower_low + upper_high, lower_high + upper_low - weight_between});
    }
};

inline bool later(const Interval& a, const Interval& b) { return a.bound > b.bound; }

// First and last threshold of an interval that can have a sum below `room`; false if there is none. Near an
// end that costs too much, thresholds are passed over until the rows in between weigh enough. A unit
// of weight is so many `ticks` of cost.
inline bool candidates(const Node& node, const Interval& interval, Cost room, Cost ticks, int& first,
                       int& last) {
    if (interval.bound >= room) return false;
    int from = interval.low + 1, to = interval.high - 1;
    const Cost low = interval.lower_low + interval.upper_low - room,
               high = interval.lower_high + interval.upper_high - room;
    if (low >= 0) from = std::max(from, node.after_weight(interval.column, interval.low, low / ticks));
    if (high >= 0) to = std::min(to, node.before_weight(interval.column, interval.high, high / ticks));
    if (from > to) return false;
    first = node.threshold_from(interval.column, from);
    last = node.threshold_up_to(interval.column, to);
    return first <= last;
}

// Intervals by their bounds, least first.
class Frontier {
public:
    bool empty() const { return heap_.empty(); }
    const Interval& best() const { return heap_.front(); }
    std::vector<Interval>& all() { return heap_; }
    void clear() { heap_.clear(); }
    void push(const Interval& interval) {
        heap_.push_back(interval);
        std::push_heap(heap_.begin(), heap_.end(), later);
    }
    Interval pop() {
        std::pop_heap(heap_.begin(), heap_.end(), later);
        const Interval out = heap_.back();
        heap_.pop_back();
        return out;
    }
    // Takes out the interval with a position, if it is there.
    bool take(int column, int position, int share, Interval& out) {
        const auto at = std::find_if(heap_.begin(), heap_.end(), [&](const Interval& i) {
            return i.column == column && i.share == share && i.low < position && position < i.high;
        });
        if (at == heap_.end()) return false;
        out = *at;
        *at = heap_.back();
        heap_.pop_back();
        std::make_heap(heap_.begin(), heap_.end(), later);
        return true;
    }

private:
    std::vector<Interval> heap_;
};

}  // namespace streed::thresholds

// The two children of a feature, in turns. Proving both to the end wastes work where one of them can rule the
// feature out; which one is not known before. So the child with the larger bound starts, each may raise its
// bound by a step, and the step doubles every round. The first step is a quarter of the price: smaller ones
// ask the tables too often, larger ones were up to three times slower.
#include <algorithm>
#include <limits>

#include "priced/search.hpp"

namespace streed::priced {
namespace {

constexpr double kFirstStep = 0.25;  // of the price

}  // namespace

// The child on one side of the feature in `lane`, without bounds.
void Worker::build(Level& at, int lane, int side, Level& child) {
    const std::size_t before = child.rows->bytes();
    bool dropped = false;
    at.table->useful(lane, side, keep_, dropped);
    side_mask(*at.rows, lane, side, mask_);
    select_rows(*at.rows, mask_, keep_, kernels_, *child.rows);
    child.offset = root_.unit * reducer_.reduce(child.rows, true, dropped);
    child.unpaid = at.unpaid + reducer_.unpaid();
    child.leaf = child.upper = root_.unit * child.rows->leaf();
    child.feature = kLeaf;
    child.lower = 0;
    child.expanded = child.exact = false;
    child.entry = kNoEntry;
    child.parent = &at;
    child.parent_lane = lane;
    child.side = side;
    search_.add_cycles(2.0 * child.rows->n_words() * child.rows->stride + 10.0 * child.rows->n_rows());
    search_.level_bytes += child.rows->bytes() - before;
}

// Before the child is made: most children are ruled out by the bounds of their own children, and some of
// those follow from the table of the parent. Saves 10 to 18 % of the tables (nothing on yeast).
double Worker::preview(Level& at, int lane, int side) {
    bool dropped = false;
    at.table->useful(lane, side, keep_, dropped);
    const SharedLock lock(at);
    return at.table->preview(lane, side, root_.unit * at.table->leaf_of(lane, side), keep_, apart(),
                             at.bounds);
}

void Worker::solve_children(Level& at, int depth, int lane, double room) {
    const auto f = static_cast<std::size_t>(lane);
    Bounds& bounds = at.bounds;
    const double b = root_.branch;
    Level* child[2] = {&level(depth + 1, 0), &level(depth + 1, 1)};
    bool built[2] = {false, false}, asked[2] = {false, false}, viewed[2] = {false, false};
    std::size_t entry[2] = {0, 0};
    double lower[2], target;
    bool exact[2];
    {
        const SharedLock lock(at);
        for (int s = 0; s < 2; ++s) {
            lower[s] = bounds.lower[s][f];
            exact[s] = lower[s] >= bounds.upper[s][f];
        }
        target = std::min(room, at.upper);
    }
    const auto first = [&] { return lower[1] >= lower[0] ? 1 : 0; };
    int side = first();
    double step = kFirstStep * b;
    while (b + lower[0] + lower[1] < target && !(exact[0] && exact[1]) && !halted()) {
        if (exact[side]) side = 1 - side;
        const int other = 1 - side;
        double limit = target - b - lower[other];
        if (techniques_.alternation && !exact[other]) limit = std::min(limit, lower[side] + step);
        const auto take_turns = [&] {
            if (!techniques_.alternation) return;
            side = 1 - side;
            if (side == first() || exact[side]) step *= 2;
        };
        const auto update = [&](double new_lower, double new_upper) {
            const SharedLock lock(at);
            lower[side] = std::max(lower[side], new_lower);
            bounds.upper[side][f] = std::min(bounds.upper[side][f], new_upper);
            exact[side] = lower[side] >= bounds.upper[side][f];
            improve(at, lane);
            target = std::min(target, at.upper);
        };
        if (!asked[side]) {  // before the child is made
            asked[side] = true;
            side_mask(*at.rows, lane, side, mask_);
            entry[side] = memo_.find(*at.rows, mask_.data(), key_);
            const Entry known = memo_.at(entry[side]);
            if (techniques_.memo && (known.lower > lower[side] || known.upper < bounds.upper[side][f])) {
                update(known.lower, known.upper);
                if (exact[side] || lower[side] >= limit) take_turns();
                continue;
            }
        }
        if (techniques_.preview && !viewed[side]) {
            viewed[side] = true;
            const double bound = preview(at, lane, side);
            if (bound > lower[side]) {
                update(bound, std::numeric_limits<double>::infinity());
                if (exact[side] || lower[side] >= limit) take_turns();
                continue;
            }
        }
        Level& below = *child[side];
        if (!built[side]) {
            build(at, lane, side, below);
            built[side] = true;
            if (below.offset == 0 && !below.rows->merged) below.entry = entry[side];  // the same rows
            below.lower = std::max(0.0, lower[side] - below.offset);
        }
        solve(below, depth + 1, limit - below.offset);
        memo_.narrow(entry[side], below.lower + below.offset, below.upper + below.offset);
        update(below.lower + below.offset, below.upper + below.offset);
        exact[side] = exact[side] || below.exact;
        take_turns();
    }
    const SharedLock lock(at);
    for (int s = 0; s < 2; ++s) {
        bounds.lower[s][f] = std::max(bounds.lower[s][f], lower[s]);
        if (techniques_.similarity) at.table->push(lane, s, lower[s], apart(), bounds);
    }
    at.done[f] = exact[0] && exact[1] ? 1 : 0;
}

}  // namespace streed::priced

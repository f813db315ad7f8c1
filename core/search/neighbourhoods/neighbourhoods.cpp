// The walk: which subtree is replaced, and whether the new tree stays.
#include "search/neighbourhoods/neighbourhoods.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "search/trees/greedy.hpp"

namespace streed {
namespace {

constexpr double kMostWork = 1e8;  // of a subtree that is solved exactly: about 50 ms
constexpr int kLeastLevels = 3;    // the last two levels of all trees are optimal

std::uint64_t mix(std::uint64_t key, std::uint64_t word) { return Random(key ^ word).next(); }

// Copies the subtree at `node`, with the one at `at` exchanged for `part`.
std::int32_t copy(const Tree& tree, std::size_t node, std::size_t at, const Tree& part, Tree& out) {
    const std::int32_t root = static_cast<std::int32_t>(out.size());
    if (node == at && !part.empty()) {
        for (TreeNode each : part) {
            if (each.feature >= 0) {
                each.left += root;
                each.right += root;
            }
            out.push_back(each);
        }
        return root;
    }
    out.push_back(tree[node]);
    if (tree[node].feature < 0) return root;
    const std::int32_t left = copy(tree, static_cast<std::size_t>(tree[node].left), at, part, out);
    const std::int32_t right = copy(tree, static_cast<std::size_t>(tree[node].right), at, part, out);
    out[static_cast<std::size_t>(root)].left = left;
    out[static_cast<std::size_t>(root)].right = right;
    return root;
}

}  // namespace

Neighbourhoods::Neighbourhoods(Search& search, Level& root, const TreeCosts& costs, int depth)
    : search_(search), costs_(costs), depth_(depth), worker_(search, root, true), random_(1) {
    const ReducedProblem& reduced = search.reduced;
    const std::size_t words = static_cast<std::size_t>(reduced.words);
    if (search.has_function() || search.traits.own_weight) return;  // no rows are right or wrong
    const bool is_signed = search.traits.difference;
    of_label_.assign(is_signed ? 2 : reduced.blocks.size(), std::vector<std::uint64_t>(words));
    const bool counted = reduced.counting && reduced.scale.empty() && reduced.steps.empty();
    if (!counted) worth_.assign(64 * words, 0);
    for (std::size_t b = 0; b < reduced.blocks.size(); ++b)
        for (std::size_t w = static_cast<std::size_t>(reduced.blocks[b].word_begin);
             w < static_cast<std::size_t>(reduced.blocks[b].word_end); ++w)
            for (std::size_t k = 0; k < 64; ++k) {
                if ((reduced.valid[w] >> k & 1u) == 0) continue;
                const std::size_t slot = 64 * w + k;
                const double value = !reduced.counting        ? reduced.value[slot]
                                     : !reduced.steps.empty() ? reduced.steps[b]
                                     : !reduced.scale.empty() ? reduced.scale[b]
                                                              : 1.0;
                const bool by_sign = is_signed && (!reduced.counting || !reduced.steps.empty());
                const std::size_t label = by_sign ? (value > 0 ? 0 : 1) : b;
                of_label_[label][w] |= std::uint64_t{1} << k;
                if (!counted) worth_[slot] = std::abs(value);
            }
}

std::size_t Neighbourhoods::bytes(const ReducedProblem& reduced, int depth) {
    const std::size_t words = static_cast<std::size_t>(reduced.words);
    const std::size_t nodes = std::min(2 * static_cast<std::size_t>(full_tree(depth)) + 1, 2 * 64 * words);
    return 2 * nodes * 8 * words;
}

void Neighbourhoods::begin(const Tree& tree) {
    tree_ = tree;
    survey();
}

// What all subtrees cost, and which of them may be replaced.
void Neighbourhoods::survey() {
    struct Seen {
        double cost = 0, share = 0;
        std::uint64_t key = 0;
        std::vector<std::uint64_t> rows;
    };
    std::vector<Seen> seen(tree_.size());
    const std::size_t words = static_cast<std::size_t>(search_.reduced.words);
    cost_ = costs_.visit(tree_, [&](std::size_t node, const std::uint64_t* rows, double cost) {
        Seen& own = seen[node];
        own.rows.assign(rows, rows + words);
        own.cost = cost;
        own.share = cost / std::max(1, search_.kernels.count_and(rows, rows, search_.reduced.words));
        for (const std::uint64_t word : own.rows) own.key = mix(own.key, word);
    });
    places_.clear();
    std::vector<std::pair<std::int32_t, bool>> path;
    list_places(0, path);
    for (Place& place : places_) {
        Seen& own = seen[place.node];
        place.cost = own.cost;
        place.share = own.share;
        place.rows_key = own.key;
        place.rows = std::move(own.rows);
    }
    std::erase_if(places_, [&](const Place& place) {
        return search_.reduced.bounded && place.cost <= search_.least_split();
    });
}

void Neighbourhoods::list_places(std::size_t node, std::vector<std::pair<std::int32_t, bool>>& path) {
    if (depth_ - static_cast<int>(path.size()) < kLeastLevels) return;
    Place place;
    place.node = node;
    place.path = path;
    places_.push_back(std::move(place));
    if (tree_[node].feature < 0) return;
    for (const bool side : {false, true}) {
        path.emplace_back(tree_[node].feature, side);
        list_places(static_cast<std::size_t>(side ? tree_[node].right : tree_[node].left), path);
        path.pop_back();
    }
}

// Subtrees by the share of their rows that they get wrong; any, where costs say nothing of that.
std::size_t Neighbourhoods::draw_place() {
    if (!search_.reduced.bounded) return random_.below(places_.size());
    double all = 0;
    for (const Place& place : places_) all += place.share;
    double at = random_.unit() * all;
    for (std::size_t k = 0; k + 1 < places_.size(); ++k)
        if ((at -= places_[k].share) < 0) return k;
    return places_.size() - 1;
}

// Loads the node of a place; false if a test on the way splits nothing, as it may in a tree that was begun
// with.
bool Neighbourhoods::enter(const Place& place) {
    for (std::size_t k = 0; k < place.path.size(); ++k) {
        const auto [feature, side] = place.path[k];
        const int index = static_cast<int>(k), lane = lane_of(worker_.level(index).node, feature);
        if (lane < 0) {
            for (; k > 0; --k) worker_.ascend();
            return false;
        }
        worker_.descend(index, lane, side);
    }
    return true;
}

void Neighbourhoods::leave(const Place& place) {
    for (std::size_t k = 0; k < place.path.size(); ++k) worker_.ascend();
}

bool Neighbourhoods::step(double seconds) {
    search_.checkpoint(true);
    if (places_.empty()) return false;
    seconds_ = seconds;
    const double until = search_.elapsed() + seconds;
    worker_.give_way = [this, until] {
        if (search_.elapsed() > until) throw Late{};
    };
    try {
        if (!grow_first()) replace();
    } catch (const Late&) {
        while (!worker_.path.empty()) worker_.ascend();
    }
    return true;
}

// The next of the greedy trees that come first; false if there is none, or no time for it. At .1 s yeast at
// depth 8 has 153 errors with them and 189 without.
bool Neighbourhoods::grow_first() {
    constexpr Impurity kImpurities[] = {Impurity::gini, Impurity::entropy};
    if (first_ == 2 || !due(first_tried_)) return false;
    const Tree tree = greedy_tree(search_, worker_,
                                  {depth_, std::min(3, depth_ - 1), kImpurities[first_], {}});
    ++first_;
    first_tried_ = 0;
    if (costs_.cost(tree) <= cost_) begin(tree);
    return true;
}

void Neighbourhoods::replace() {
    const Place place = places_[draw_place()];
    if (!enter(place)) return;
    Tree part;
    const double kind = random_.unit();
    bool found = kind < 0.4 && solve_exactly(place, part);
    if (!found && kind < 0.7) found = swap_test(place, part);
    if (!found) found = regrow(place, part);
    leave(place);
    if (found) put(place, part);
}

// Of equally good trees the new one stays.
void Neighbourhoods::put(const Place& place, const Tree& part) {
    Tree changed;
    copy(tree_, 0, place.node, part, changed);
    if (costs_.cost(changed) > cost_) return;
    tree_ = std::move(changed);
    survey();
}

// The best subtree of this depth, if that was not looked for before and takes little.
bool Neighbourhoods::solve_exactly(const Place& place, Tree& part) {
    const int left = levels_left(place), index = static_cast<int>(place.path.size());
    const Level& at = worker_.level(index);
    const double columns = static_cast<double>(at.node.active().size());
    double work = columns * columns * (at.node.words() + 4);
    for (int level = kLeastLevels; level < left; ++level) work *= columns / (level >= 4 ? 4 : 1);
    if (work > kMostWork) return false;
    double& tried = tried_[mix(place.rows_key, static_cast<std::uint64_t>(left))];
    if (!due(tried)) return false;
    const double value = worker_.solve(index, left, full_tree(left), at.leaf + 1).lower;
    worker_.rebuild.construct(index, left, full_tree(left), value, part);
    tried = std::numeric_limits<double>::infinity();
    return true;
}

// A greedy subtree from some of the features, with two or three optimal levels at its end.
bool Neighbourhoods::regrow(const Place& place, Tree& part) {
    constexpr double kShares[] = {1, 0.8, 0.5, 0.3};
    const double share = kShares[random_.below(4)];
    const int tail = std::min(levels_left(place) - 1, 2 + static_cast<int>(random_.below(2)));
    const Impurity impurity = random_.below(2) == 0 ? Impurity::gini : Impurity::entropy;
    GreedyPlan plan{depth_, tail, impurity, {}, {}};
    if (share < 1) plan.leave_out = [&] { return random_.unit() >= share; };
    grow_below(search_, worker_, plan, static_cast<int>(place.path.size()), part);
    return true;
}

int Neighbourhoods::solve_tail(int index, int depth, Tree& part) {
    const Level& at = worker_.level(index);
    const double value = depth <= 2 ? -std::numeric_limits<double>::infinity()
                                    : worker_.solve(index, depth, full_tree(depth), at.leaf + 1).lower;
    return worker_.rebuild.construct(index, depth, full_tree(depth), value, part);
}

}  // namespace streed

// Another test at the top of a subtree, chosen by what it gains while both of its subtrees stay as they are.
//
// A row that only one of the two subtrees gets right wants to go there; the other rows do not care. The gain
// of a feature is the number of rows that it sends where they want to go, from two bit counts
// (Carreira-Perpinan and Tavallali 2018 train such a node by a linear model). Then the last levels on both
// sides are solved anew for the rows that have changed sides.
#include <algorithm>
#include <bit>
#include <tuple>

#include "search/neighbourhoods/neighbourhoods.hpp"

namespace streed {
namespace {

constexpr std::size_t kBestTests = 6;
constexpr double kMeanRank = 1.2;

}  // namespace

double Neighbourhoods::weight(const std::vector<std::uint64_t>& rows) const {
    if (worth_.empty()) return search_.kernels.count_and(rows.data(), rows.data(), search_.reduced.words);
    double sum = 0;
    for (std::size_t w = 0; w < rows.size(); ++w)
        for (std::uint64_t word = rows[w]; word != 0; word &= word - 1)
            sum += worth_[64 * w + static_cast<std::size_t>(std::countr_zero(word))];
    return sum;
}

// The rows of both sides of a feature.
void Neighbourhoods::split_rows(const std::vector<std::uint64_t>& rows, std::int32_t feature,
                                std::vector<std::uint64_t> sides[2]) const {
    const std::uint64_t* column = search_.reduced.columns.data() +
                                  static_cast<std::size_t>(feature) * rows.size();
    sides[0].resize(rows.size());
    sides[1].resize(rows.size());
    for (std::size_t w = 0; w < rows.size(); ++w) {
        sides[0][w] = rows[w] & ~column[w];
        sides[1][w] = rows[w] & column[w];
    }
}

void Neighbourhoods::right_rows(std::size_t node, const std::vector<std::uint64_t>& rows,
                                std::vector<std::uint64_t>& right) const {
    const TreeNode& own = tree_[node];
    if (own.feature >= 0) {
        std::vector<std::uint64_t> sides[2];
        split_rows(rows, own.feature, sides);
        right_rows(static_cast<std::size_t>(own.left), sides[0], right);
        right_rows(static_cast<std::size_t>(own.right), sides[1], right);
        return;
    }
    double most = -1;
    std::vector<std::uint64_t> some(rows.size()), best(rows.size());
    for (const std::vector<std::uint64_t>& label : of_label_) {
        for (std::size_t w = 0; w < rows.size(); ++w) some[w] = rows[w] & label[w];
        if (const double own_weight = weight(some); own_weight > most) {
            most = own_weight;
            best.swap(some);
        }
    }
    for (std::size_t w = 0; w < rows.size(); ++w) right[w] |= best[w];
}

// One of the best tests for these two subtrees, other than the present one; `turned`: rows that have the
// feature go to what was the left subtree.
bool Neighbourhoods::draw_test(const Place& place, std::int32_t& feature, bool& turned) {
    const TreeNode& own = tree_[place.node];
    const std::size_t words = place.rows.size();
    std::vector<std::uint64_t> left(words), right(words), some(words);
    right_rows(static_cast<std::size_t>(own.left), place.rows, left);
    right_rows(static_cast<std::size_t>(own.right), place.rows, right);
    for (std::size_t w = 0; w < words; ++w) {
        const std::uint64_t both = left[w] & right[w];
        left[w] &= ~both;
        right[w] &= ~both;
    }
    const double all[2] = {weight(left), weight(right)};
    struct Test {
        double gain;
        std::int32_t feature;
        bool turned;
    };
    std::vector<Test> tests;
    const Node& node = worker_.level(static_cast<int>(place.path.size())).node;
    for (const std::int32_t lane : node.active()) {
        const std::int32_t f = node.feature(lane);
        const std::uint64_t* column = search_.reduced.columns.data() + static_cast<std::size_t>(f) * words;
        for (std::size_t w = 0; w < words; ++w) some[w] = right[w] & column[w];
        const double with_right = weight(some);
        for (std::size_t w = 0; w < words; ++w) some[w] = left[w] & column[w];
        const double with_left = weight(some);
        if (f != own.feature) tests.push_back({all[0] + with_right - with_left, f, false});
        tests.push_back({all[1] - with_right + with_left, f, true});
    }
    if (tests.empty()) return false;
    const std::size_t n = std::min(kBestTests, tests.size());
    std::partial_sort(tests.begin(), tests.begin() + static_cast<std::ptrdiff_t>(n), tests.end(),
                      [](const Test& a, const Test& b) {
                          return std::tie(b.gain, a.feature, a.turned) <
                                 std::tie(a.gain, b.feature, b.turned);
                      });
    const Test& drawn = tests[std::min(n - 1, static_cast<std::size_t>(random_.exponential(kMeanRank)))];
    feature = drawn.feature;
    turned = drawn.turned;
    return true;
}

bool Neighbourhoods::swap_test(const Place& place, Tree& part) {
    const TreeNode own = tree_[place.node];
    if (of_label_.empty() || own.feature < 0 || levels_left(place) <= 3) return false;
    std::int32_t feature;
    bool turned;
    if (!draw_test(place, feature, turned)) return false;
    const int index = static_cast<int>(place.path.size()), tail = 2 + static_cast<int>(random_.below(2));
    const int lane = lane_of(worker_.level(index).node, feature);
    part.push_back({feature, -1, -1, -1});
    std::vector<std::uint64_t> side_rows[2];
    split_rows(place.rows, feature, side_rows);
    for (const bool side : {false, true}) {
        worker_.descend(index, lane, side);
        const int child = refit(index + 1, static_cast<std::size_t>(side != turned ? own.right : own.left),
                                side_rows[side ? 1 : 0], tail, part);
        worker_.ascend();
        (side ? part[0].right : part[0].left) = child;
    }
    return true;
}

// The tests of a subtree for other rows, with its last levels solved. A test that splits nothing any more
// gives way to the subtree that most rows go to.
int Neighbourhoods::refit(int index, std::size_t node, const std::vector<std::uint64_t>& rows, int tail,
                          Tree& part) {
    const Level& at = worker_.level(index);
    const int left = depth_ - index;
    const TreeNode own = tree_[node];
    const bool done = own.feature < 0 || at.leaf <= search_.least_split() || at.node.active().empty();
    if (left <= tail || done) return solve_tail(index, std::min(left, tail), part);
    std::vector<std::uint64_t> side_rows[2];
    split_rows(rows, own.feature, side_rows);
    const int lane = lane_of(at.node, own.feature);
    if (lane < 0) {
        const bool side = weight(side_rows[1]) > weight(side_rows[0]);
        return refit(index, static_cast<std::size_t>(side ? own.right : own.left), side_rows[side ? 1 : 0],
                     tail, part);
    }
    const int root = static_cast<int>(part.size());
    part.push_back({own.feature, -1, -1, -1});
    for (const bool side : {false, true}) {
        worker_.descend(index, lane, side);
        const int child = refit(index + 1, static_cast<std::size_t>(side ? own.right : own.left),
                                side_rows[side ? 1 : 0], tail, part);
        worker_.ascend();
        TreeNode& grown = part[static_cast<std::size_t>(root)];
        (side ? grown.right : grown.left) = child;
    }
    return root;
}

}  // namespace streed

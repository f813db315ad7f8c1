#include <algorithm>

#include "node.hpp"

namespace streed::thresholds {
namespace {

constexpr std::uint32_t kUpper = 1u << 31;

template <class Entry>
struct Parts;
template <>
struct Parts<std::uint32_t> {
    using Rank = std::int16_t;
    static std::uint32_t row(std::uint32_t entry) { return entry & 0x7fffu; }
    static std::uint32_t rank(std::uint32_t entry) { return (entry & 0x7fffffffu) >> 16; }
    static std::uint32_t make(std::uint32_t rank, std::uint32_t row) { return rank << 16 | row; }
};
template <>
struct Parts<std::uint64_t> {
    using Rank = std::int32_t;
    static std::uint32_t row(std::uint64_t entry) { return static_cast<std::uint32_t>(entry) & 0x7fffffffu; }
    static std::uint32_t rank(std::uint64_t entry) {
        return static_cast<std::uint32_t>((entry & ~(std::uint64_t{1} << 63)) >> 32);
    }
    static std::uint64_t make(std::uint32_t rank, std::uint32_t row) {
        return static_cast<std::uint64_t>(rank) << 32 | row;
    }
};

// Both children of a narrow node at once, without a branch per row. Ranks stay as they are. The map has 16
// bits per row: its highest bit is the side.
void divide_narrow(const Node& node, int column, const std::uint16_t* map, Node& lower, Node& upper) {
    const std::uint32_t* from = node.order<std::uint32_t>(column);
    std::uint32_t *low = lower.order<std::uint32_t>(column), *high = upper.order<std::uint32_t>(column);
    const int n = node.size();
    std::size_t n_low = 0, n_high = 0;
    for (int p = 0; p < n; ++p) {
        const std::uint32_t entry = from[p], to = map[entry & 0x7fffu],
                            out = (entry & 0x7fff0000u) | (to & 0x7fffu);
        low[n_low] = out;
        high[n_high] = out;
        n_high += to >> 15;
        n_low += 1 - (to >> 15);
    }
    const std::int16_t* ranks = node.ranks<std::int16_t>(column);
    std::int16_t *low_rank = lower.ranks<std::int16_t>(column),
                 *high_rank = upper.ranks<std::int16_t>(column);
    n_low = n_high = 0;
    for (int row = 0; row < n; ++row) {
        low_rank[n_low] = high_rank[n_high] = ranks[row];
        n_high += map[row] >> 15;
        n_low += 1 - (map[row] >> 15);
    }
}

// One child of a wide node, with ranks counted anew: those of a narrow child must fit.
template <class Entry>
void take_side(const Node& node, int column, const std::uint32_t* map, std::uint32_t side, Node& child) {
    const std::uint64_t* from = node.order<std::uint64_t>(column);
    Entry* out = child.order<Entry>(column);
    auto* ranks = child.ranks<typename Parts<Entry>::Rank>(column);
    std::uint32_t rank = 0, before = 0;
    std::size_t n = 0;
    for (int p = 0; p < node.size(); ++p) {
        const std::uint32_t to = map[Parts<std::uint64_t>::row(from[p])],
                            own = Parts<std::uint64_t>::rank(from[p]);
        if ((to & kUpper) != side) continue;
        rank += n > 0 && own != before;
        before = own;
        const std::uint32_t row = to & ~kUpper;
        ranks[row] = static_cast<typename Parts<Entry>::Rank>(rank);
        out[n++] = Parts<Entry>::make(rank, row);
    }
}

template <class Rank>
int number_rows(const Node& node, int column, std::int32_t rank, std::vector<std::uint32_t>& map) {
    const Rank* ranks = node.ranks<Rank>(column);
    std::uint32_t lower = 0, upper = 0;
    for (int row = 0; row < node.size(); ++row) {
        const std::uint32_t side = ranks[row] >= rank;
        map[static_cast<std::size_t>(row)] = side ? kUpper | upper : lower;
        upper += side;
        lower += 1 - side;
    }
    return static_cast<int>(lower);
}

// Rows go to both children, and the next one overwrites what is not a child's own: no branch per row.
void copy_rows(const Node& node, const std::uint32_t* map, Node& lower, Node& upper) {
    const std::size_t labels = static_cast<std::size_t>(node.n_labels()),
                      n = static_cast<std::size_t>(node.size());
    std::size_t n_low = 0, n_high = 0;
    for (std::size_t k = 0; k < n; ++k) {
        lower.roots()[n_low] = upper.roots()[n_high] = node.roots()[k];
        lower.labels()[n_low] = upper.labels()[n_high] = node.labels()[k];
        n_high += map[k] >> 31;
        n_low += 1 - (map[k] >> 31);
    }
    for (std::size_t k = 0; !node.unit() && k < n; ++k) {
        Node& child = (map[k] & kUpper) != 0 ? upper : lower;
        const std::size_t to = map[k] & ~kUpper;
        child.weights()[to] = node.weights()[k];
        if (node.model() == Model::costs)
            std::copy_n(node.costs() + k * labels, labels, child.costs() + to * labels);
    }
}

}  // namespace

std::size_t partition(const Node& node, int column, std::int32_t rank, Node& lower, Node& upper,
                      RowMap& map) {
    std::vector<std::uint32_t>& numbers = map.wide;
    const int n = node.size();
    if (numbers.size() < static_cast<std::size_t>(n)) numbers.resize(static_cast<std::size_t>(n));
    if (!node.wide() && map.narrow.size() < static_cast<std::size_t>(n))
        map.narrow.resize(static_cast<std::size_t>(n));
    const int n_lower = node.wide() ? number_rows<std::int32_t>(node, column, rank, numbers)
                                    : number_rows<std::int16_t>(node, column, rank, numbers);
    std::size_t grown = lower.allocate(n_lower, node.n_columns(), node.n_labels(), node.model(), node.unit());
    grown += upper.allocate(n - n_lower, node.n_columns(), node.n_labels(), node.model(), node.unit());
    copy_rows(node, numbers.data(), lower, upper);
    for (int row = 0; !node.wide() && row < n; ++row) {
        const std::uint32_t to = numbers[static_cast<std::size_t>(row)];
        map.narrow[static_cast<std::size_t>(row)] = static_cast<std::uint16_t>(to >> 16 | to);
    }
    for (Node* child : {&lower, &upper}) {
        const std::uint32_t side = child == &upper ? kUpper : 0;
        child->add_up();
        for (int j = 0; j < node.n_columns(); ++j) {
            if (node.constant(j)) {
                child->drop(j);
            } else if (!node.wide()) {
                if (side == 0) divide_narrow(node, j, map.narrow.data(), lower, upper);
            } else if (child->wide()) {
                take_side<std::uint64_t>(node, j, numbers.data(), side, *child);
            } else {
                take_side<std::uint32_t>(node, j, numbers.data(), side, *child);
            }
        }
    }
    return grown;
}

}  // namespace streed::thresholds

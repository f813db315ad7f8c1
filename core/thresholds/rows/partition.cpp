// The two children of a node: stable partitions of its sorted columns, 16 rows at a time with AVX-512.
#include <algorithm>

#include "thresholds/rows/node.hpp"

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

int number_wide_rows(const Node& node, int column, std::int32_t rank, std::vector<std::uint32_t>& map) {
    const std::int32_t* ranks = node.ranks<std::int32_t>(column);
    std::uint32_t lower = 0, upper = 0;
    for (int row = 0; row < node.size(); ++row) {
        const std::uint32_t side = ranks[row] >= rank;
        map[static_cast<std::size_t>(row)] = side ? kUpper | upper : lower;
        upper += side;
        lower += 1 - side;
    }
    return static_cast<int>(lower);
}

// Weights and costs. The highest bit of a number is the side.
template <class Number>
void copy_costs(const Node& node, const Number* map, Node& lower, Node& upper) {
    constexpr Number top = static_cast<Number>(Number{1} << (8 * sizeof(Number) - 1));
    const std::size_t labels = static_cast<std::size_t>(node.n_labels());
    for (std::size_t k = 0; k < static_cast<std::size_t>(node.size()); ++k) {
        Node& child = (map[k] & top) != 0 ? upper : lower;
        const std::size_t to = map[k] & static_cast<Number>(top - 1);
        child.weights()[to] = node.weights()[k];
        if (node.has_costs()) std::copy_n(node.costs() + k * labels, labels, child.costs() + to * labels);
    }
}

void divide_narrow(const Node& node, const std::uint16_t* map, const Kernels& kernels, Node& lower,
                   Node& upper) {
    const int n = node.size();
    kernels.divide_words(node.roots(), n, map, lower.roots(), upper.roots());
    kernels.divide_words(node.labels(), n, map, lower.labels(), upper.labels());
    if (!node.unit()) copy_costs(node, map, lower, upper);
    for (int j = 0; j < node.n_columns(); ++j) {
        if (node.constant(j)) continue;
        kernels.divide_order(node.order<std::uint32_t>(j), n, map, lower.order<std::uint32_t>(j),
                             upper.order<std::uint32_t>(j));
        kernels.divide_ranks(node.ranks<std::int16_t>(j), n, map, lower.ranks<std::int16_t>(j),
                             upper.ranks<std::int16_t>(j));
    }
}

void divide_wide(const Node& node, const std::uint32_t* map, Node& lower, Node& upper,
                 const std::function<void()>& look) {
    for (std::size_t k = 0; k < static_cast<std::size_t>(node.size()); ++k) {
        Node& child = (map[k] & kUpper) != 0 ? upper : lower;
        child.roots()[map[k] & ~kUpper] = node.roots()[k];
        child.labels()[map[k] & ~kUpper] = node.labels()[k];
    }
    if (!node.unit()) copy_costs(node, map, lower, upper);
    for (Node* child : {&lower, &upper}) {
        const std::uint32_t side = child == &upper ? kUpper : 0;
        for (int j = 0; j < node.n_columns(); ++j) {
            if (node.constant(j)) continue;
            look();
            child->wide() ? take_side<std::uint64_t>(node, j, map, side, *child)
                          : take_side<std::uint32_t>(node, j, map, side, *child);
        }
    }
}

}  // namespace

std::size_t open_sides(const Node& node, int column, std::int32_t rank, const Kernels& kernels, Node& lower,
                       Node& upper, RowMap& map) {
    constexpr std::size_t kBehind = 32;  // what kernels read and write behind the last row
    const std::size_t n = static_cast<std::size_t>(node.size());
    if (node.wide() && map.wide.size() < n) map.wide.resize(n);
    if (!node.wide() && map.narrow.size() < n + kBehind) map.narrow.resize(n + kBehind);
    const int n_lower = node.wide() ? number_wide_rows(node, column, rank, map.wide)
                                    : kernels.number_rows(node.ranks<std::int16_t>(column), node.size(), rank,
                                                          map.narrow.data());
    const std::size_t grown = lower.allocate(n_lower, node.n_columns(), node.n_labels(), node.model(),
                                             node.unit());
    return grown + upper.allocate(node.size() - n_lower, node.n_columns(), node.n_labels(), node.model(),
                                  node.unit());
}

void fill_sides(const Node& node, const Kernels& kernels, Node& lower, Node& upper, const RowMap& map,
                const std::function<void()>& look) {
    lower.set_factor(node.factor());
    upper.set_factor(node.factor());
    if (node.wide())
        divide_wide(node, map.wide.data(), lower, upper, look);
    else
        divide_narrow(node, map.narrow.data(), kernels, lower, upper);
    for (Node* child : {&lower, &upper}) {
        child->add_up();
        for (int j = 0; j < node.n_columns(); ++j)
            if (node.constant(j)) child->drop(j);
    }
}

}  // namespace streed::thresholds

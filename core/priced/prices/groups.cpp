// Rows with equal features as groups, with their costs per label.
#include "priced/prices/groups.hpp"

#include <algorithm>
#include <bit>
#include <map>

namespace streed::priced {
namespace {

std::vector<std::uint32_t> lanes_of(const Rows& rows, int blocks) {
    std::vector<std::uint32_t> lanes(static_cast<std::size_t>(rows.n_rows()) * blocks);
    for (int w = 0; w < rows.n_words(); ++w) {
        const int first = w < rows.words[0] ? 64 * w : rows.n[0] + 64 * (w - rows.words[0]);
        for (int f = 0; f < rows.n_features; ++f)
            for (std::uint64_t rest = rows.bit(w, f); rest != 0; rest &= rest - 1)
                lanes[static_cast<std::size_t>(first + std::countr_zero(rest)) * blocks + f / 32] |=
                    1u << (f % 32);
    }
    return lanes;
}

}  // namespace

// Counted rows of different labels stay apart; the reduction of the node has left no equal ones, unless it is
// off.
Groups make_groups(const Rows& rows) {
    Groups out;
    out.n_features = rows.n_features;
    out.blocks = (rows.n_features + 31) / 32;
    out.n_labels = rows.n_values == 0 ? 2 : rows.n_values - 1;
    const std::vector<std::uint32_t> lanes = lanes_of(rows, out.blocks);
    std::map<std::vector<std::uint32_t>, std::int32_t> known;
    std::vector<std::uint32_t> key;
    for (int r = 0; r < rows.n_rows(); ++r) {
        const int label = r < rows.n[0] ? 0 : 1;
        const auto begin = lanes.begin() + static_cast<std::ptrdiff_t>(r) * out.blocks;
        key.assign(begin, begin + out.blocks);
        key.push_back(static_cast<std::uint32_t>(label));
        const auto [at, added] = known.try_emplace(key, out.n);
        if (added) {
            ++out.n;
            out.lanes.insert(out.lanes.end(), key.begin(), key.end() - 1);
            out.costs.insert(out.costs.end(), static_cast<std::size_t>(out.n_labels), 0.0);
            out.size.push_back(0);
        }
        const auto group = static_cast<std::size_t>(at->second);
        for (int k = 0; k < out.n_labels; ++k)
            out.costs[group * out.n_labels + k] += rows.n_values > 0 ? rows.row_values(r)[k] : k != label;
        ++out.size[group];
        out.of_row.push_back(at->second);
    }
    for (int g = 0; g < out.n; ++g) {
        const auto costs = out.costs.begin() + static_cast<std::ptrdiff_t>(g) * out.n_labels;
        out.most.push_back(*std::max_element(costs, costs + out.n_labels));
        out.total += out.most.back();
    }
    return out;
}

}  // namespace streed::priced

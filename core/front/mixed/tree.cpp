// Redundant splits of trees with several values: a node goes where one of its subtrees keeps all values.
#include "front/mixed/tree.hpp"

#include <algorithm>
#include <cmath>

namespace streed {
namespace {

// The subtree at `at` of one tree, appended to another one.
std::int32_t copy(const Tree& from, std::int32_t at, Tree& to) {
    const auto index = static_cast<std::int32_t>(to.size());
    to.push_back(from[static_cast<std::size_t>(at)]);
    if (from[static_cast<std::size_t>(at)].feature < 0) return index;
    const std::int32_t left = copy(from, from[static_cast<std::size_t>(at)].left, to);
    const std::int32_t right = copy(from, from[static_cast<std::size_t>(at)].right, to);
    to[static_cast<std::size_t>(index)].left = left;
    to[static_cast<std::size_t>(index)].right = right;
    return index;
}

// The tree with another subtree (or leaf) in the place of node `where`.
std::int32_t replaced(const Tree& from, std::int32_t at, std::int32_t where, std::int32_t by,
                      std::int32_t label, Tree& to) {
    if (at == where) {
        if (by >= 0) return copy(from, by, to);
        to.push_back({-1, -1, -1, label});
        return static_cast<std::int32_t>(to.size()) - 1;
    }
    const TreeNode node = from[static_cast<std::size_t>(at)];
    const auto index = static_cast<std::int32_t>(to.size());
    to.push_back(node);
    if (node.feature < 0) return index;
    const std::int32_t left = replaced(from, node.left, where, by, label, to);
    const std::int32_t right = replaced(from, node.right, where, by, label, to);
    to[static_cast<std::size_t>(index)].left = left;
    to[static_cast<std::size_t>(index)].right = right;
    return index;
}

}  // namespace

const std::vector<double>& MixedTrees::leaf(const Slots& slots) {
    const auto found = known_.find(slots);
    if (found != known_.end()) return found->second;
    const std::size_t columns = static_cast<std::size_t>(leaves_.n_statistics());
    const std::size_t all = 64 * static_cast<std::size_t>(reduced_.words);
    std::vector<double> sums(columns), ticks;
    for (const std::uint32_t slot : slots) {
        for (std::size_t c = 0; c < columns; ++c) {
            if (!reduced_.counting) {
                sums[c] += reduced_.value[c * all + slot];
                continue;
            }
            const int word = static_cast<int>(slot / 64);
            sums[c] += word >= reduced_.blocks[c].word_begin && word < reduced_.blocks[c].word_end ? 1 : 0;
        }
    }
    leaves_.ask(sums.data(), 1, ticks);
    return known_[slots] = ticks;
}

std::vector<double> MixedTrees::values(const Tree& tree) {
    const std::size_t parts = leaves_.parts().size();
    const std::size_t labels = static_cast<std::size_t>(leaves_.n_labels());
    std::vector<Slots> at_leaf(tree.size());
    for (std::uint32_t slot = 0; slot < 64 * static_cast<std::uint32_t>(reduced_.words); ++slot) {
        if (!((reduced_.valid[slot / 64] >> (slot % 64)) & 1)) continue;
        std::size_t at = 0;
        while (tree[at].feature >= 0) {
            const std::size_t word = static_cast<std::size_t>(tree[at].feature) *
                                         static_cast<std::size_t>(reduced_.words) +
                                     slot / 64;
            at = static_cast<std::size_t>((reduced_.columns[word] >> (slot % 64)) & 1 ? tree[at].right
                                                                                      : tree[at].left);
        }
        at_leaf[at].push_back(slot);
    }
    work_ -= 64.0 * reduced_.words;
    std::vector<double> out(parts);
    for (std::size_t p = 0; p < parts; ++p)
        if (leaves_.parts()[p].maximum) out[p] = -std::numeric_limits<double>::infinity();
    for (std::size_t at = 0; at < tree.size(); ++at) {
        if (tree[at].feature >= 0) {
            for (std::size_t p = 0; p < parts; ++p)
                out[p] += std::nearbyint(leaves_.parts()[p].branch_cost / leaves_.grain(p));
            continue;
        }
        double rows = 0;
        for (const std::uint32_t slot : at_leaf[at]) rows += reduced_.counting ? 1 : reduced_.count[slot];
        if (rows < control_.options.min_samples_leaf) return {};
        const std::vector<double>& ticks = leaf(at_leaf[at]);
        for (std::size_t p = 0; p < parts; ++p) {
            const double own = ticks[p * labels + static_cast<std::size_t>(tree[at].label)];
            out[p] = leaves_.parts()[p].maximum ? std::max(out[p], own) : out[p] + own;
        }
    }
    return out;
}

bool MixedTrees::within(const std::vector<double>& now, const std::vector<double>& before) const {
    for (std::size_t p = 0; p < now.size(); ++p) {
        const MixedPart& part = leaves_.parts()[p];
        const double play = leaves_.play(p);
        if (part.objective ? now[p] > before[p] + play
                           : now[p] > part.upper / leaves_.grain(p) + play ||
                                 now[p] < part.lower / leaves_.grain(p) - play)
            return false;
    }
    return !now.empty();
}

Tree MixedTrees::simplified(Tree tree) {
    const std::vector<double> before = values(tree);
    for (std::int32_t at = 0; at < static_cast<std::int32_t>(tree.size()) && work_ > 0;) {
        const TreeNode node = tree[static_cast<std::size_t>(at)];
        bool changed = false;
        for (std::int32_t k = 0; node.feature >= 0 && k < leaves_.n_labels() + 2 && !changed; ++k) {
            const std::int32_t by = k == leaves_.n_labels()  ? node.left
                                    : k > leaves_.n_labels() ? node.right
                                                             : -1;
            Tree other;
            replaced(tree, 0, at, by, k, other);
            changed = within(values(other), before);
            if (changed) tree = std::move(other);
        }
        at = changed ? 0 : at + 1;
    }
    return tree;
}

Tree MixedTrees::finished(Tree tree) const {
    for (TreeNode& node : tree)
        if (node.feature >= 0) node.feature = reduced_.features[static_cast<std::size_t>(node.feature)];
    return tree;
}

}  // namespace streed

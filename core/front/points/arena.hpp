// The trees behind the points of a front.
#pragma once

#include <cstdint>
#include <vector>

#include "front/points/ledger.hpp"
#include "model/result.hpp"

namespace streed {

// Trees of all points that are alive, sharing their subtrees. A reference is the position of a branching
// node, or ~label for a leaf. Where there are two labels, single splits that tell them apart need no node of
// their own.
class Arena {
public:
    struct Branch {
        std::int32_t feature, left, right;
    };
    explicit Arena(Ledger& ledger)
        : branches_(Counted<Branch>(ledger)),
          kept_(Counted<Branch>(ledger)),
          moved_(Counted<std::int32_t>(ledger)) {}
    std::int32_t add(std::int32_t feature, std::int32_t left, std::int32_t right) {
        if (two_labels && left + right == ~0 + ~1 && left < 0 && right < 0) return stump(feature, left == ~1);
        branches_.push_back({feature, left, right});
        return static_cast<std::int32_t>(branches_.size()) - 1;
    }
    std::size_t size() const { return branches_.size(); }
    // Reference to a single split; inverse: rows without the feature get label 1.
    static std::int32_t stump(std::int32_t feature, bool inverse) {
        return -3 - 2 * feature - (inverse ? 1 : 0);
    }
    bool two_labels = false;

    // Forgets everything made since `mark` except what the given references need; they are moved along.
    void keep(std::size_t mark, const std::vector<std::int32_t*>& references) {
        if (branches_.size() == mark) return;
        kept_.clear();
        moved_.assign(branches_.size() - mark, -1);
        for (std::int32_t* reference : references) *reference = copy(mark, *reference);
        branches_.resize(mark);
        branches_.insert(branches_.end(), kept_.begin(), kept_.end());
    }

    int unfold(std::int32_t reference, Tree& tree) const {
        const int at = static_cast<int>(tree.size());
        if (two_labels && reference < -2) {
            const int who = -3 - reference;
            tree.push_back({who / 2, at + 1, at + 2, -1});
            tree.push_back({-1, -1, -1, who % 2});
            tree.push_back({-1, -1, -1, 1 - who % 2});
            return at;
        }
        if (reference < 0) {
            tree.push_back({-1, -1, -1, ~reference});
            return at;
        }
        const Branch branch = branches_[static_cast<std::size_t>(reference)];
        tree.push_back({branch.feature, -1, -1, -1});
        const int left = unfold(branch.left, tree);
        const int right = unfold(branch.right, tree);
        tree[static_cast<std::size_t>(at)].left = left;
        tree[static_cast<std::size_t>(at)].right = right;
        return at;
    }

private:
    std::int32_t copy(std::size_t mark, std::int32_t reference) {
        if (reference < static_cast<std::int32_t>(mark)) return reference;
        const std::size_t at = static_cast<std::size_t>(reference) - mark;
        if (moved_[at] >= 0) return moved_[at];
        Branch branch = branches_[static_cast<std::size_t>(reference)];
        branch.left = copy(mark, branch.left);
        branch.right = copy(mark, branch.right);
        kept_.push_back(branch);
        moved_[at] = static_cast<std::int32_t>(mark + kept_.size()) - 1;
        return moved_[at];
    }
    CountedVector<Branch> branches_, kept_;
    CountedVector<std::int32_t> moved_;
};

}  // namespace streed

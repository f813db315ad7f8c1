// How the sums of a leaf become its cost, and the properties of rows and sums that follow.
#pragma once

namespace streed {

// Benefit of a leaf with the sums x: |x| of one signed difference (two labels), the largest x_k of labels
// that have rows of their own, or max(0, largest x_k) of what K - 1 labels save against the first one. A
// function has no benefit: it makes a cost of the sums. The kernels evaluate pairs by kind, everything else
// asks for the properties below.
enum class LeafKind : int { signed_difference = 0, largest_sum = 1, largest_gain = 2, function = 3 };

struct LeafTraits {
    bool difference = false;  // one sum over all rows; those of the second block count negatively
    bool label_rows = false;  // one block of rows and one sum for every label
    bool own_weight = false;  // what a weighted row can cost is a number beside its values
    bool benefit = true;      // a leaf costs the potential of its rows less its benefit
};

constexpr LeafTraits traits_of(LeafKind kind) {
    switch (kind) {
        case LeafKind::signed_difference:
            return {.difference = true};
        case LeafKind::largest_sum:
            return {.label_rows = true};
        case LeafKind::largest_gain:
            return {.own_weight = true};
        default:
            return {.own_weight = true, .benefit = false};
    }
}

}  // namespace streed

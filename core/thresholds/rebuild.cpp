// The tree of a plan: open levels are solved again, redundant splits removed, leaves labelled and counted.
#include "thresholds/rebuild.hpp"

#include <algorithm>

namespace streed::thresholds {
namespace {

class Builder {
public:
    Builder(Search& search, Worker& worker) : search_(search), worker_(worker) {}

    // Plans with one level left are completed by the best split of either side.
    void build(Node& node, const Plan* plan, int level) {
        if (plan == nullptr) return leaf();
        worker_.prepare(node);
        const int position = worker_.position_of(node, *plan);
        const std::size_t at = tree_.size();
        // A plan that was made for other rows may have rows here between its two ranks, which go to the lower
        // side: the test is written with the ranks next to each other among the rows of this node.
        const bool swapped = add_split(*worker_.make_plan(node, plan->column, position));
        tree_.push_back({static_cast<std::int32_t>(splits_.size()) - 1, -1, -1, -1});
        Node* sides[2] = {&worker_.child(level, 0), &worker_.child(level, 1)};
        worker_.divide(node, plan->column, node.rank_at(plan->column, position), *sides[0], *sides[1]);
        // Rows up to the threshold satisfy the test and go right; the test for missing values is on the other
        // copy of the column.
        for (const int side : {swapped ? 0 : 1, swapped ? 1 : 0}) {
            const auto index = static_cast<std::int32_t>(tree_.size());
            (tree_[at].left < 0 ? tree_[at].left : tree_[at].right) = index;
            if (plan->open)
                stump(*sides[side], plan->nodes[side], level + 1);
            else
                build(*sides[side], plan->side[side].get(), level + 1);
        }
    }

    Tree& tree() { return tree_; }
    std::vector<Split>& splits() { return splits_; }

private:
    void leaf() { tree_.push_back({}); }

    void stump(Node& node, int nodes, int level) {
        if (nodes == 0 || node.size() < 2 * search_.least_rows) return leaf();
        build(node, worker_.stump_plan(node).get(), level);
    }

    // True if the sides change places: a split of missing values from all others becomes the test for missing
    // values.
    bool add_split(const Plan& plan) {
        const Source& source = search_.table.sources[static_cast<std::size_t>(plan.column)];
        const std::int32_t low = source.ranks[static_cast<std::size_t>(plan.low)],
                           high = source.ranks[static_cast<std::size_t>(plan.high)];
        if (high < 0) {
            splits_.push_back({source.column, -1, first_value(source), true});
            return true;
        }
        splits_.push_back({source.column, low, high, source.missing && !source.upper});
        return false;
    }

    static std::int32_t first_value(const Source& source) {
        return *std::find_if(source.ranks.begin(), source.ranks.end(),
                             [](std::int32_t rank) { return rank >= 0; });
    }

    Search& search_;
    Worker& worker_;
    Tree tree_;
    std::vector<Split> splits_;
};

std::vector<std::uint8_t> as_features(const Problem& problem, const std::vector<Split>& splits) {
    std::vector<std::uint8_t> features(problem.n_rows * splits.size());
    for (std::size_t f = 0; f < splits.size(); ++f) {
        const std::int32_t* column = problem.ranks +
                                     static_cast<std::size_t>(splits[f].column) * problem.n_rows;
        for (std::size_t r = 0; r < problem.n_rows; ++r)
            features[r * splits.size() + f] = column[r] < 0 ? splits[f].missing_right
                                                            : column[r] <= splits[f].rank;
    }
    return features;
}

// A subtree that has taken the place of a larger one has more rows than before, and perhaps values between
// the old neighbours.
void find_next(const Problem& problem, const std::vector<std::uint8_t>& features, std::size_t width,
               const std::vector<std::int32_t>& feature, const Tree& tree, std::vector<Split>& splits) {
    for (Split& split : splits) split.next = INT32_MAX;
    for (std::size_t r = 0; r < problem.n_rows; ++r) {
        for (std::size_t at = 0; tree[at].feature >= 0;) {
            const TreeNode& node = tree[at];
            Split& split = splits[static_cast<std::size_t>(node.feature)];
            const std::int32_t rank =
                problem.ranks[static_cast<std::size_t>(split.column) * problem.n_rows + r];
            if (rank > split.rank) split.next = std::min(split.next, rank);
            const bool right = features[r * width + static_cast<std::size_t>(feature[at])] != 0;
            at = static_cast<std::size_t>(right ? node.right : node.left);
        }
    }
}

}  // namespace

FinishedTree rebuild(Search& search, Worker& worker, const Plan* plan, std::vector<Split>& splits) {
    Builder builder(search, worker);
    builder.build(search.table.root, plan, 0);
    const Problem& given = search.problem;
    const std::vector<std::uint8_t> features = as_features(given, builder.splits());
    streed::Problem problem;
    problem.features = features.data();
    problem.n_rows = given.n_rows;
    problem.n_features = builder.splits().size();
    problem.n_labels = given.n_labels;
    problem.labels = given.labels;
    problem.weights = given.weights;
    LeafFunction function;
    given.model->set_leaves(given.numbers, problem, function);
    FinishedTree finished = finish_tree(problem, builder.tree(), search.options.branch_cost, 1.0);
    std::vector<std::int32_t> before;
    for (TreeNode& node : finished.tree) {
        before.push_back(node.feature);
        if (node.feature < 0) continue;
        splits.push_back(builder.splits()[static_cast<std::size_t>(node.feature)]);
        node.feature = static_cast<std::int32_t>(splits.size()) - 1;
    }
    find_next(given, features, builder.splits().size(), before, finished.tree, splits);
    return finished;
}

}  // namespace streed::thresholds

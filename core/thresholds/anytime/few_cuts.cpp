// The best tree over few cuts: columns become bits, and the search by depth solves them.
#include "thresholds/anytime/few_cuts.hpp"

#include <algorithm>
#include <cmath>
#include <unordered_map>

#include "engine.hpp"

namespace streed::thresholds {
namespace {

// One word operation of the search over bits is worth so many rows and columns walked by this one.
constexpr double kWordWork = 0.02;

// With fewer rows than this, merging equal rows before the search does takes longer than it saves.
constexpr int kManyRows = 20000;

struct Test {
    int column;
    std::int32_t rank;
};

// Rows that pass the same tests and count for the same label are one row with their weights; without labels
// their numbers are added up.
struct Rows {
    std::vector<std::uint8_t> features;  // [row][test]
    std::vector<std::int32_t> labels;
    std::vector<double> weights, numbers;  // numbers: [row][width]
    std::size_t n = 0;
};

// Rows that are merged between two looks at the clock: about 10 ms.
constexpr std::size_t kRowsPerLook = 1 << 16;

class Merger {
public:
    Merger(Search& search, const Node& node, const Cuts& cuts, bool merge)
        : search_(search), node_(node), merge_(merge) {
        width_ = search.problem.n_numbers;
        numbers_ = search.problem.numbers;
        for (int j = 0; j < node.n_columns(); ++j) {
            if (cuts.of(j).empty()) continue;
            columns_.push_back(j);
            for (const std::int32_t rank : cuts.of(j)) tests_.push_back({j, rank});
        }
        for (const int j : columns_) {
            search_.checkpoint(true);
            code_column(j, cuts.of(j));
        }
    }

    const std::vector<Test>& tests() const { return tests_; }

    Rows rows() {
        Rows out;
        std::unordered_multimap<std::uint64_t, std::size_t> known;
        std::vector<std::size_t> from;  // row of the node, by row that stays
        const std::size_t n = static_cast<std::size_t>(node_.size());
        for (std::size_t row = 0; row < n; ++row) {
            if (row % kRowsPerLook == 0) search_.checkpoint(true);
            const std::size_t given = search_.table.rows[node_.roots()[row]];
            const std::int32_t label = width_ > 0 ? 0 : search_.problem.labels[given];
            std::size_t to = out.n;
            if (merge_) {
                const std::uint64_t hash = hash_of(row, label);
                const auto [begin, end] = known.equal_range(hash);
                for (auto at = begin; at != end && to == out.n; ++at)
                    if (out.labels[at->second] == label && equal(row, from[at->second])) to = at->second;
                if (to == out.n) known.emplace(hash, out.n);
            }
            if (to == out.n) {
                ++out.n;
                from.push_back(row);
                out.labels.push_back(label);
                out.weights.push_back(0);
                out.numbers.resize(out.numbers.size() + width_);
            }
            if (width_ == 0) out.weights[to] += search_.problem.weights[given];
            for (std::size_t k = 0; k < width_; ++k)
                out.numbers[to * width_ + k] += numbers_[given * width_ + k];
        }
        out.features.resize(out.n * tests_.size());
        for (std::size_t row = 0; row < out.n; ++row) {
            std::uint8_t* feature = out.features.data() + row * tests_.size();
            for (std::size_t c = 0; c < columns_.size(); ++c) {
                const std::uint16_t code = codes_[from[row] * columns_.size() + c];
                for (std::uint16_t k = 0; k < counts_[c]; ++k) *feature++ = code <= k;
            }
        }
        return out;
    }

private:
    // Of each row, how many cuts its rank is above.
    void code_column(int j, const std::vector<std::int32_t>& cuts) {
        const std::size_t n = static_cast<std::size_t>(node_.size()), width = columns_.size();
        codes_.resize(n * width);
        counts_.push_back(static_cast<std::uint16_t>(cuts.size()));
        const std::size_t c = counts_.size() - 1;
        std::size_t code = 0;
        for (int position = 0; position < node_.size(); ++position) {
            const std::uint32_t row = node_.row_at(j, position);
            const std::int32_t rank = search_.table.root.rank_of(j, node_.roots()[row]);
            while (code < cuts.size() && rank > cuts[code]) ++code;
            codes_[row * width + c] = static_cast<std::uint16_t>(code);
        }
    }

    std::uint64_t hash_of(std::size_t row, std::int32_t label) const {
        std::uint64_t hash = static_cast<std::uint64_t>(label) + 1;
        const std::uint16_t* code = codes_.data() + row * columns_.size();
        for (std::size_t c = 0; c < columns_.size(); ++c) {
            hash = (hash ^ code[c]) * 0x9e3779b97f4a7c15ull;
            hash ^= hash >> 29;
        }
        return hash;
    }

    bool equal(std::size_t a, std::size_t b) const {
        const std::uint16_t* codes = codes_.data();
        return std::equal(codes + a * columns_.size(), codes + (a + 1) * columns_.size(),
                          codes + b * columns_.size());
    }

    Search& search_;
    const Node& node_;
    const bool merge_;
    std::size_t width_ = 0;
    const double* numbers_ = nullptr;
    std::vector<int> columns_;
    std::vector<Test> tests_;
    std::vector<std::uint16_t> codes_, counts_;  // codes: [row][column]
};

std::shared_ptr<const Plan> plan_of(const Tree& tree, std::int32_t at, const std::vector<Test>& tests) {
    const TreeNode& node = tree[static_cast<std::size_t>(at)];
    if (node.feature < 0) return nullptr;
    const Test& test = tests[static_cast<std::size_t>(node.feature)];
    auto plan = std::make_shared<Plan>();
    plan->column = test.column;
    plan->low = test.rank;
    plan->high = test.rank + 1;
    plan->side[0] = plan_of(tree, node.right, tests);  // rows up to the cut have the feature
    plan->side[1] = plan_of(tree, node.left, tests);
    return plan;
}

}  // namespace

double work_on_cuts(const Node& node, std::size_t n_cuts, int levels) {
    const double cuts = static_cast<double>(n_cuts), words = static_cast<double>(node.size()) / 64 + 1;
    return kWordWork * words * std::pow(cuts, std::min(levels, 3)) / 4 + 2 * cuts * node.size() / 16;
}

std::shared_ptr<const Plan> solve_on_cuts(Search& search, const Node& node, const Cuts& cuts, int depth,
                                          int nodes) {
    const bool counted = search.least_rows > 1;  // rows must stay as they are
    Merger merger(search, node, cuts, !counted && node.size() > kManyRows);
    Rows rows = merger.rows();
    search.checkpoint(true);
    const auto bytes = static_cast<std::ptrdiff_t>(rows.features.size() + 16 * rows.n);
    search.take_memory(bytes);
    search.count_work(work_on_cuts(node, cuts.size(), depth));
    const Problem& given = search.problem;
    streed::Problem problem;
    problem.features = rows.features.data();
    problem.n_rows = rows.n;
    problem.n_features = merger.tests().size();
    problem.n_labels = given.n_labels;
    if (given.n_numbers == 0) {
        problem.labels = rows.labels.data();
        problem.weights = rows.weights.data();
    }
    LeafFunction function;
    given.model->set_leaves(rows.numbers.data(), problem, function);
    Options options = search.options;
    options.max_depth = depth;
    options.max_nodes = nodes;
    options.time_limit = std::max(1e-3, search.options.time_limit - search.elapsed());
    options.poll = search.options.poll ? [&search](const Progress&) { return search.look(true); }
                                       : std::function<bool(const Progress&)>();
    const std::size_t used = search.memory.used();
    if (options.memory_limit > 0) options.memory_limit -= std::min(used, options.memory_limit - 1);
    const auto plan = plan_of(streed::solve(problem, options).tree, 0, merger.tests());
    search.take_memory(-bytes);
    search.checkpoint(true);
    return plan;
}

}  // namespace streed::thresholds

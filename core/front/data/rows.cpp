// The preparation of rows with several costs: grids, merged rows, blocks of equal costs.
#include "front/data/rows.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "data/units.hpp"
#include "search/search.hpp"

namespace streed {
namespace {

// Different costs; with more, vectors are added. With 512 real costs on heart-cleveland take 1.8 times as
// long.
constexpr std::size_t kMaxBlocks = 64;

// Adds what the rows that reach each node pay for its test.
void add_prices(const Tree& tree, const TestPrices& tests, const std::vector<double>& reached,
                std::vector<double>& total) {
    std::vector<int> path;
    const auto walk = [&](const auto& self, std::size_t at) -> void {
        const TreeNode& node = tree[at];
        if (node.feature < 0) return;
        const double* price = tests.of(node.feature, path);
        for (std::size_t j = 0; j < total.size(); ++j) total[j] += price[j] * reached[at];
        path.push_back(node.feature);
        self(self, static_cast<std::size_t>(node.left));
        self(self, static_cast<std::size_t>(node.right));
        path.pop_back();
    };
    walk(walk, 0);
}

}  // namespace

// Whole costs stay as they are; real ones go to a power-of-two grid on which every sum is exact.
void Rows::put_on_grid(const VectorProblem& problem, const std::vector<Component>& components,
                       const Options& options, std::vector<double>& grid) {
    const std::size_t k = static_cast<std::size_t>(n_labels);
    const std::size_t m = components.size();
    const std::size_t from = static_cast<std::size_t>(problem.n_values);
    double dearest = 0;
    bool whole_prices = true;
    if (problem.prices != nullptr)
        for (std::size_t f = 0; f < problem.n_features; ++f)
            for (const double price : {problem.prices->full[f], problem.prices->discounted[f]}) {
                dearest = std::max(dearest, price);
                whole_prices = whole_prices && price == std::floor(price);
            }
    dearest *= static_cast<double>(std::max(1, options.max_depth) * n_rows);
    const double nodes = std::min({static_cast<double>(full_tree(options.max_depth)),
                                   static_cast<double>(options.max_nodes), static_cast<double>(n_rows)});
    grid.assign(n_rows * k * m, 0);
    grain.assign(m, 1);
    branch.assign(m, 0);
    most.assign(m, 0);
    for (std::size_t j = 0; j < m; ++j) {
        if (components[j].source < 0) continue;
        const double* source = problem.costs + components[j].source;
        const double cost = components[j].sign * problem.branch_cost[components[j].source];
        double total = std::abs(cost) * nodes;
        bool whole = cost == std::floor(cost);
        if (problem.prices != nullptr && problem.price_weights[components[j].source] != 0) {
            const double weight = problem.price_weights[components[j].source];
            total += weight * dearest;
            whole = whole && whole_prices && weight == std::floor(weight);
        }
        for (std::size_t r = 0; r < n_rows; ++r) {
            double largest = 0;
            for (std::size_t label = 0; label < k; ++label) {
                const double value = source[(r * k + label) * from];
                largest = std::max(largest, std::abs(value));
                whole = whole && value == std::floor(value);
            }
            total += largest;
        }
        grain[j] = grid_of(total, whole, 48);
        const double scale = components[j].sign / grain[j];
        if (grain[j] == 1)  // whole, or nothing at all
            for (std::size_t c = 0; c < n_rows * k; ++c) grid[c * m + j] = source[c * from] * scale;
        else
            for (std::size_t c = 0; c < n_rows * k; ++c)
                grid[c * m + j] = std::nearbyint(source[c * from] * scale);
        branch[j] = std::nearbyint(cost / grain[j]);
        most[j] = std::max(0.0, branch[j]) * nodes;
    }
}

void Rows::differences(const double* row, std::vector<double>& out) const {
    const std::size_t m = static_cast<std::size_t>(n_values);
    out.assign(channels, 1);
    for (std::size_t c = 0, j = 0; c + 1 < channels; ++c, j = j + 1 < m ? j + 1 : 0)
        out[c] = row[m + c] - row[j] + 0.0;  // no negative zero
}

// Prices of tests in grains; like costs, they are whole numbers or rounded.
void Rows::price_tests(const VectorProblem& problem, const std::vector<Component>& components, int depth) {
    if (problem.prices == nullptr) return;
    const std::size_t m = components.size();
    const Prices& prices = *problem.prices;
    tests.none.assign(m, 0);
    tests.dearest.assign(m, 0);
    for (const std::int32_t f : features) {
        tests.attribute.push_back(prices.attribute[f]);
        tests.group.push_back(prices.group[f]);
        for (std::size_t j = 0; j < m; ++j) {
            const int source = components[j].source;
            const double scale = source < 0 ? 0 : problem.price_weights[source] / grain[j];
            tests.full.push_back(std::nearbyint(prices.full[f] * scale));
            tests.discounted.push_back(std::nearbyint(prices.discounted[f] * scale));
            tests.dearest[j] = std::max({tests.dearest[j], tests.full.back(), tests.discounted.back()});
        }
    }
    for (std::size_t j = 0; j < m; ++j) {
        tests.dearest[j] *= std::max(1, depth);
        most[j] += tests.most(j, static_cast<double>(n_rows));
    }
}

// Rows of equal costs (above those of label 0), if there are few kinds of them.
bool Rows::find_blocks(const std::vector<double>& grid, std::vector<std::vector<std::uint32_t>>& members) {
    const std::size_t size = static_cast<std::size_t>(n_labels) * static_cast<std::size_t>(n_values);
    std::vector<double> difference;
    std::size_t kind = 0;
    const auto is = [&](std::size_t k) {
        return std::equal(difference.begin(), difference.end(),
                          values.begin() + static_cast<std::ptrdiff_t>(k * channels));
    };
    for (std::size_t r = 0; r < n_rows; ++r) {
        differences(&grid[r * size], difference);
        if (kind == members.size() || !is(kind))  // often it is that of the row before
            for (kind = 0; kind < members.size() && !is(kind);) ++kind;
        if (kind == members.size()) {
            if (members.size() == kMaxBlocks) return false;
            members.emplace_back();
            values.insert(values.end(), difference.begin(), difference.end());
        }
        members[kind].push_back(static_cast<std::uint32_t>(r));
    }
    // Counting looks at all words, adding at about half of the merged rows.
    return n_rows / 64 + members.size() <= 2 * n_merged + 64;
}

Rows::Rows(const VectorProblem& problem, const std::vector<Component>& components, const Options& options)
    : n_rows(problem.n_rows), n_labels(problem.n_labels), n_values(static_cast<int>(components.size())) {
    const std::size_t k = static_cast<std::size_t>(n_labels);
    const std::size_t m = components.size();
    const std::size_t width = (problem.n_features + 63) / 64;
    const std::size_t row_words = (n_rows + 63) / 64;
    channels = (k - 1) * m + 1;
    std::vector<double> grid;
    put_on_grid(problem, components, options, grid);
    const Words packed = pack_rows(problem.features, n_rows, problem.n_features, width);
    features = informative_features(transpose(packed, n_rows, problem.n_features, width, row_words), n_rows,
                                    problem.n_features, row_words, options.switches.drop_features,
                                    problem.prices == nullptr ? nullptr : problem.prices->attribute);
    price_tests(problem, components, options.max_depth);
    std::vector<std::uint32_t> group, first;
    n_merged = group_rows(packed, n_rows, width, features, options.switches.merge_rows, group, first);
    merged_words = (n_merged + 63) / 64;
    merged_columns = ordered_columns(packed, width, problem.n_features, features, first);
    costs.assign(n_merged * k * m, 0);
    counts.assign(n_merged, 0);
    origin.assign(m, 0);
    for (std::size_t r = 0; r < n_rows; ++r) {
        const double* row = &grid[r * k * m];
        double* sum = &costs[group[r] * k * m];
        for (std::size_t c = 0; c < k * m; ++c) sum[c] += row[c];
        counts[group[r]] += 1;
        for (std::size_t j = 0; j < m; ++j) {
            origin[j] += row[j];
            double largest = row[j];
            for (std::size_t label = 1; label < k; ++label) largest = std::max(largest, row[label * m + j]);
            most[j] += largest;
        }
    }

    std::vector<std::vector<std::uint32_t>> members;
    counting = find_blocks(grid, members);
    std::vector<std::uint32_t> order;
    if (!counting) {
        members.assign(1, first);
        values.clear();
    }
    for (const std::vector<std::uint32_t>& block : members) {
        const int begin = static_cast<int>(order.size() / 64);
        order.insert(order.end(), block.begin(), block.end());
        order.resize((order.size() + 63) / 64 * 64, kNoRow);
        blocks.push_back({begin, static_cast<int>(order.size() / 64)});
    }
    words = order.size() / 64;
    valid.assign(words, 0);
    for (std::size_t a = 0; a < order.size(); ++a)
        if (order[a] != kNoRow) valid[a / 64] |= 1ull << (a % 64);
    columns = ordered_columns(packed, width, problem.n_features, features, order);
    if (!counting) {
        std::vector<double> vector;
        for (std::size_t g = 0; g < n_merged; ++g) {
            differences(&costs[g * k * m], vector);
            vector.back() = counts[g];
            values.insert(values.end(), vector.begin(), vector.end());
        }
    }
}

std::vector<double> Rows::evaluate(Tree& tree, const std::vector<double>& weights) const {
    const std::size_t k = static_cast<std::size_t>(n_labels);
    const std::size_t m = static_cast<std::size_t>(n_values);
    std::vector<double> sums(tree.size() * k * m), reached(tree.size());
    for (std::size_t r = 0; r < n_merged; ++r) {
        std::size_t at = 0;
        for (reached[0] += counts[r]; tree[at].feature >= 0; reached[at] += counts[r])
            at = static_cast<std::size_t>(has(r, tree[at].feature) ? tree[at].right : tree[at].left);
        for (std::size_t c = 0; c < k * m; ++c) sums[at * k * m + c] += costs[r * k * m + c];
    }
    std::vector<double> total(m);
    if (tests.any()) add_prices(tree, tests, reached, total);
    for (std::size_t at = 0; at < tree.size(); ++at) {
        if (tree[at].feature >= 0) {
            for (std::size_t j = 0; j < m; ++j) total[j] += branch[j];
            continue;
        }
        if (tree[at].label < 0) {
            double least = 0;
            for (std::size_t label = 0; label < k; ++label) {
                double scalar = 0;
                for (std::size_t j = 0; j < m; ++j) scalar += weights[j] * sums[(at * k + label) * m + j];
                if (label == 0 || scalar < least) {
                    least = scalar;
                    tree[at].label = static_cast<std::int32_t>(label);
                }
            }
        }
        for (std::size_t j = 0; j < m; ++j)
            total[j] += sums[(at * k + static_cast<std::size_t>(tree[at].label)) * m + j];
    }
    return total;
}

}  // namespace streed

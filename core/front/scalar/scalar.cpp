// The scalar search of weighted components: costs in whole units, the engine's form, threads over root
// features.
#include "front/scalar/scalar.hpp"

#include <algorithm>
#include <bit>
#include <cmath>

#include "data/units.hpp"
#include "search/share.hpp"

namespace streed {

Scalar::Scalar(const Rows& rows, std::vector<double> the_weights, Control& control, const Kernels& kernels)
    : weights(std::move(the_weights)),
      rows_(rows),
      control_(control),
      kernels_(kernels),
      options_(control.options) {
    std::vector<double> costs;
    weigh(costs);
    reduce(costs);
    problem_.n_rows = rows.n_rows;
    problem_.n_labels = rows.n_labels;
    options_.memory_limit = control.ledger.share();
    options_.time_limit = control.deadline;
    options_.poll = [this](const Progress& progress) { return control_.poll(progress); };
    search_ = std::make_unique<Search>(problem_, reduced_, options_, kernels_, control_.started);
    tick_ = search_->to_units(1) * unit_;
    root_.node.load(reduced_, {&kernels_, options_.switches.narrow_lanes, options_.switches.sparse_rows,
                               options_.min_samples_leaf, search_->model.counted});
    search_->take_memory(reduced_.bytes() + root_.node.bytes());
    worker_ = std::make_unique<Worker>(*search_, root_, true);
    worker_->enter(root_);
    control_.ledger.enter(search_->memory);
}

Scalar::~Scalar() { control_.ledger.leave(search_->memory); }

// Weighted costs of every merged row and label above the row's least one, in whole units, rounded down.
void Scalar::weigh(std::vector<double>& costs) {
    const std::size_t k = static_cast<std::size_t>(rows_.n_labels);
    const auto weighted = [&](const double* vector) {
        double sum = 0;
        for (std::size_t j = 0; j < weights.size(); ++j) sum += weights[j] * vector[j];
        return sum;
    };
    costs.resize(rows_.n_merged * k);
    constants_.resize(rows_.n_merged);
    double total = 0, size = 0;
    bool whole = true;
    for (std::size_t r = 0; r < rows_.n_merged; ++r) {
        double* c = &costs[r * k];
        double largest = 0;
        for (std::size_t label = 0; label < k; ++label) {
            c[label] = weighted(&rows_.costs[(r * k + label) * weights.size()]);
            whole = whole && c[label] == std::floor(c[label]);
            largest = std::max(largest, std::abs(c[label]));
        }
        const double least = *std::min_element(c, c + k);
        for (std::size_t label = 0; label < k; ++label) c[label] -= least;
        least_ += least;
        constants_[r] = c[0];
        root_constant_ += c[0];
        total += *std::max_element(c, c + k);
        size += largest;
    }
    branch_ = weighted(rows_.branch.data());
    rebate_ = std::max(0.0, -branch_);
    const double priced = std::max(0.0, branch_);
    whole = whole && priced == std::floor(priced);
    size += std::abs(branch_) * static_cast<double>(rows_.n_rows);
    price_tests(whole, size);
    slack_ = whole && size < 0x1p50 ? 0 : std::ldexp(size, -44);
    // 32-bit lanes are used at the price of a rounding of at most one unit per row (40 bits: 1.1 to 1.2 times
    // as long), unless the values themselves are fine-grained.
    const bool fine = std::any_of(rows_.grain.begin(), rows_.grain.end(), [](double g) { return g != 1; });
    const int bits = fine ? 48 : 29;
    unit_ = grid_of(total, whole, bits);
    if (unit_ != 1)
        for (double& c : costs) c = std::floor(c / unit_);
    options_.branch_cost = std::floor(priced / unit_);
    if (unit_ != 1)
        for (std::vector<double>* prices : {&full_, &discounted_})
            for (double& price : *prices) price = std::floor(price / unit_);
}

// Weighted prices of tests, where there are any. Weights of components that pay for tests are not negative.
void Scalar::price_tests(bool& whole, double& size) {
    const TestPrices& tests = rows_.tests;
    if (!tests.any()) return;
    const std::size_t n = rows_.features.empty() ? 0 : static_cast<std::size_t>(rows_.features.back()) + 1;
    attribute_.assign(n, 0);
    group_.assign(n, -1);
    full_.assign(n, 0);
    discounted_.assign(n, 0);
    double most = 0;
    for (std::size_t k = 0; k < rows_.features.size(); ++k) {
        const std::size_t f = static_cast<std::size_t>(rows_.features[k]);
        attribute_[f] = tests.attribute[k];
        group_[f] = tests.group[k];
        for (std::size_t j = 0; j < weights.size(); ++j) {
            full_[f] += weights[j] * tests.full[k * weights.size() + j];
            discounted_[f] += weights[j] * tests.discounted[k * weights.size() + j];
        }
        for (double* price : {&full_[f], &discounted_[f]}) {
            *price = std::max(0.0, *price);
            whole = whole && *price == std::floor(*price);
            most = std::max(most, *price);
        }
    }
    size += most * std::max(1, options_.max_depth) * static_cast<double>(rows_.n_rows);
    prices_ = {attribute_.data(), group_.data(), full_.data(), discounted_.data()};
    problem_.prices = &prices_;
    problem_.n_features = n;
}

// The engine's form of that: what every label but the first saves against it, or for two labels what the
// better one saves, signed. One slot per merged row, whatever its costs, so that slots are the same for all
// weights.
void Scalar::reduce(const std::vector<double>& costs) {
    const std::size_t k = static_cast<std::size_t>(rows_.n_labels);
    const bool two = k == 2;
    const std::size_t slots = 64 * rows_.merged_words;
    reduced_.features = rows_.features;
    reduced_.words = static_cast<int>(rows_.merged_words);
    reduced_.blocks = {{0, reduced_.words}};
    reduced_.columns = rows_.merged_columns;
    reduced_.counting = false;
    reduced_.kind = two ? LeafKind::signed_difference : LeafKind::largest_gain;
    reduced_.n_values = reduced_.n_matrices = std::max(1, rows_.n_labels - 1);
    reduced_.valid.assign(rows_.merged_words, 0);
    reduced_.value.assign(slots * static_cast<std::size_t>(reduced_.n_matrices), 0);
    reduced_.weight.assign(slots, 0);
    reduced_.potential.assign(slots, 0);
    reduced_.count.assign(slots, 0);
    double sum = 0;
    for (std::size_t r = 0; r < rows_.n_merged; ++r) {
        const double* c = &costs[r * k];
        const double most = *std::max_element(c, c + k);
        reduced_.valid[r / 64] |= 1ull << (r % 64);
        for (std::size_t label = 1; label < k; ++label)
            reduced_.value[(label - 1) * slots + r] = c[0] - c[label];
        reduced_.weight[r] = most;
        reduced_.potential[r] = two ? most : c[0];
        reduced_.count[r] = rows_.counts[r];
        reduced_.largest_value = std::max(
            {reduced_.largest_value, most,
             options_.min_samples_leaf > 1 || rows_.tests.any() ? rows_.counts[r] : 0.0});
        sum += most;
    }
    reduced_.total = sum;
    const bool fits = std::max(sum, static_cast<double>(rows_.n_rows)) < 0x1p30;
    reduced_.storage = !fits ? Storage::f64 : reduced_.largest_value > 127 ? Storage::i32 : Storage::i8;
}

double Scalar::constant(const Node& node) const {
    double sum = 0;
    const std::vector<std::uint64_t>& valid = node.valid();
    for (std::size_t w = 0; w < valid.size(); ++w)
        for (std::uint64_t bits = valid[w]; bits != 0; bits &= bits - 1)
            sum += constants_[node.slots()[64 * w + static_cast<std::size_t>(std::countr_zero(bits))]];
    return sum;
}

// Features of the root, shared out to the threads one by one.
void Scalar::search_root(int depth, int nodes, double upper) {
    worker_->begin_branching(0, depth, nodes, upper);
    const auto make = [this] { return std::make_unique<Worker>(*search_, root_, false); };
    share_root(*search_, root_, *worker_, make,
               [this](Worker& worker, std::size_t k) { worker.try_feature(0, root_.order[k]); });
    worker_->known_children.record(root_);
}

Outcome Scalar::solve(int depth, int nodes, double upper) {
    normalise(depth, nodes);
    const double engine_upper = std::isfinite(upper) ? std::max(0.0, limit(upper - least_, nodes)) : 0x1p60;
    Outcome outcome{0, true};
    const bool trivial = depth <= 2 || root_.node.active().size() < 2;
    root_.branching = false;
    try {
        if (trivial || options_.n_threads == 1) {
            outcome = worker_->solve(0, depth, nodes, engine_upper);
        } else {
            search_root(depth, nodes, engine_upper);
            const bool found = root_.best < engine_upper;
            outcome = {found ? root_.best : root_.lower_bound(*search_), found};
        }
    } catch (const Stopped&) {
        if (search_->status() == Status::memory_limit) control_.status = Status::memory_limit;
        // The bounds of the children prove this much; the best tree so far may lie below their minimum.
        if (root_.branching)
            proven_ = least_ + cost(std::min(root_.best, root_.lower_bound(*search_)), nodes) - slack_;
        throw;
    }
    found_ = outcome.lower;
    return {least_ + cost(outcome.lower, nodes) - slack_, outcome.exact && outcome.lower < engine_upper};
}

void Scalar::restart() {
    const Statistics statistics = worker_->statistics;
    worker_ = std::make_unique<Worker>(*search_, root_, true);
    worker_->statistics = statistics;
}

Tree Scalar::tree(int depth, int nodes) {
    Tree tree;
    worker_->rebuild.construct(0, depth, nodes, found_, tree);
    return tree;
}

}  // namespace streed

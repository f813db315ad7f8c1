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
    cells_ = has_cells(rows_, options_);
    if (cells_) {
        weigh_cells();
        reduce_cells();
    } else {
        std::vector<double> costs;
        weigh(costs);
        reduce(costs);
    }
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

// Sums of steps have 32 bits, which finely grained costs do not fit.
bool Scalar::has_cells(const Rows& rows, const Options& options) {
    constexpr std::size_t kMostCopies = 2;  // of a row, on average
    return options.switches.cells && rows.counting && rows.n_labels == 2 && !rows.tests.any() &&
           rows.blocks.size() <= kMostSteps && rows.n_rows <= kMostCopies * rows.n_merged &&
           std::all_of(rows.grain.begin(), rows.grain.end(), [](double g) { return g == 1; });
}

// Weighted cost of label 1 above that of label 0 for every kind of rows. The better label of a row costs
// nothing, what the other one costs is rounded down.
void Scalar::weigh_cells() {
    const std::size_t m = weights.size();
    double total = 0, size = 0;
    bool whole = true;
    for (std::size_t j = 0; j < m; ++j) {
        const double origin = weights[j] * rows_.origin[j];
        least_ += origin;
        whole = whole && origin == std::floor(origin);
        size += std::abs(weights[j]) * std::max(std::abs(rows_.origin[j]), std::abs(rows_.most[j]));
        branch_ += weights[j] * rows_.branch[j];
    }
    for (std::size_t b = 0; b < rows_.blocks.size(); ++b) {
        const Block& block = rows_.blocks[b];
        const std::uint64_t* bits = rows_.valid.data() + block.word_begin;
        const double n = kernels_.count_and(bits, bits, block.word_end - block.word_begin);
        double difference = 0;
        for (std::size_t j = 0; j < m; ++j) {
            difference += weights[j] * rows_.values[b * rows_.channels + j];
            size += n * std::abs(weights[j] * rows_.values[b * rows_.channels + j]);
        }
        whole = whole && difference == std::floor(difference);
        differences_.push_back(difference);
        constants_.push_back(std::max(0.0, -difference));
        least_ -= n * constants_[b];
        root_constant_ += n * constants_[b];
        total += n * std::abs(difference);
    }
    size += std::abs(branch_) * static_cast<double>(rows_.n_rows);
    rebate_ = std::max(0.0, -branch_);
    choose_unit(total, size, whole, std::max(0.0, branch_));
    join_sides();
    for (double& difference : differences_) difference = std::trunc(difference / unit_);
}

// Two labels with a weight each, or of weight one, are what the engine is fastest at. Where the kinds are no
// more than that, as without a multiplier, those with the same better label become one block.
void Scalar::join_sides() {
    double most[2] = {0, 0};
    for (const double difference : differences_) {
        double& own = most[difference > 0];
        if (difference == 0 || (own != 0 && own != std::abs(difference))) return;
        own = std::abs(difference);
    }
    if (most[0] == 0 || most[1] == 0) return;
    two_sides_ = true;
    side_of_.clear();
    for (const double difference : differences_) side_of_.push_back(difference > 0);
    differences_ = {-most[0], most[1]};
    constants_ = {most[0], 0};
}

// The engine's form of that: the atoms of all searches (front/data/rows.hpp), in blocks of one kind, or of
// kinds with the same better label.
void Scalar::reduce_cells() {
    reduced_.features = rows_.features;
    reduced_.words = static_cast<int>(rows_.words);
    reduced_.blocks = rows_.blocks;
    reduced_.columns = rows_.columns;
    reduced_.valid = rows_.valid;
    reduced_.light.assign(rows_.words, 0);
    reduced_.counting = true;
    reduced_.kind = LeafKind::signed_difference;
    if (two_sides_) move_sides();
    for (std::size_t b = 0; b < reduced_.blocks.size(); ++b) {
        const Block& block = reduced_.blocks[b];
        const std::uint64_t* bits = reduced_.valid.data() + block.word_begin;
        const double weight = std::abs(differences_[b]);
        reduced_.total += kernels_.count_and(bits, bits, block.word_end - block.word_begin) * weight;
        if (!two_sides_) reduced_.steps.push_back(static_cast<std::int32_t>(-differences_[b]));
        if (two_sides_) reduced_.scale.push_back(weight);
    }
    if (!two_sides_) return;
    if (reduced_.scale[0] == 1 && reduced_.scale[1] == 1) {
        reduced_.scale.clear();
        return;
    }
    reduced_.kind = LeafKind::largest_sum;
    reduced_.n_values = 2;
}

// The words of all kinds with the first better label, then of those with the other one.
void Scalar::move_sides() {
    std::vector<std::size_t> words;
    for (int side = 0; side < 2; ++side) {
        const int begin = static_cast<int>(words.size());
        for (std::size_t b = 0; b < rows_.blocks.size(); ++b)
            for (int w = rows_.blocks[b].word_begin; side_of_[b] == side && w < rows_.blocks[b].word_end; ++w)
                words.push_back(static_cast<std::size_t>(w));
        if (side == 0) reduced_.blocks.clear();
        reduced_.blocks.push_back({begin, static_cast<int>(words.size())});
    }
    for (std::size_t w = 0; w < words.size(); ++w) {
        reduced_.valid[w] = rows_.valid[words[w]];
        for (std::size_t f = 0; f < rows_.features.size(); ++f)
            reduced_.columns[f * rows_.words + w] = rows_.columns[f * rows_.words + words[w]];
    }
}

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
    size += std::abs(branch_) * static_cast<double>(rows_.n_rows);
    price_tests(whole, size);
    choose_unit(total, size, whole, priced);
    if (unit_ == 1) return;
    for (std::vector<double>* each : {&costs, &full_, &discounted_})
        for (double& value : *each) value = std::floor(value / unit_);
}

// 32-bit lanes are used at the price of a rounding of at most one unit per row (40 bits: 1.1 to 1.2 times as
// long), unless the values themselves are fine-grained.
void Scalar::choose_unit(double total, double size, bool whole, double priced) {
    whole = whole && priced == std::floor(priced);
    slack_ = whole && size < 0x1p50 ? 0 : std::ldexp(size, -44);
    const bool fine = std::any_of(rows_.grain.begin(), rows_.grain.end(), [](double g) { return g != 1; });
    unit_ = grid_of(total, whole, fine ? 48 : 29);
    options_.branch_cost = std::floor(priced / unit_);
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
    if (cells_) {
        const Frame frame = node.frame();
        for (int b = 0; b < frame.n_blocks; ++b) {
            const Block& block = frame.blocks[b];
            const std::uint64_t* bits = valid.data() + block.word_begin;
            sum += constants_[static_cast<std::size_t>(b)] *
                   kernels_.count_and(bits, bits, block.word_end - block.word_begin);
        }
        return sum;
    }
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

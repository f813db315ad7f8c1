// Pair tables of counts for vectors: one channel per block of equal costs.
#include "front/data/pair_counts.hpp"

#include <algorithm>

namespace streed {
namespace {

Options counting_options(Control& control) {
    Options options = control.options;
    options.min_samples_leaf = 1;
    options.branch_cost = 0;
    options.memory_limit = 0;
    options.poll = [&control](const Progress& progress) { return control.poll(progress); };
    return options;
}

}  // namespace

PairCounts::PairCounts(const Rows& rows, Control& control, const Kernels& kernels)
    : rows_(rows),
      kernels_(kernels),
      options_(counting_options(control)),
      search_(problem_, reduced_, options_, kernels, control.started),
      worker_(search_, level_, true) {}

void PairCounts::load(const Part& part) {
    part.copy_to(reduced_);
    reduced_.kind = LeafKind::largest_sum;
    reduced_.n_values = static_cast<int>(reduced_.blocks.size());
    reduced_.light.assign(reduced_.valid.size(), 0);
    level_.node.load(reduced_, {&kernels_, true, true, 1, false});
    level_.forget();
    worker_.tables.load(level_);
}

// For every block of the node its row of the table, in whatever lanes the node has.
template <class Body>
void PairCounts::rows_of(std::size_t at, Body&& body) const {
    const Node& node = level_.node;
    const std::size_t stride = static_cast<std::size_t>(node.stride());
    for (std::size_t b = 0; b < reduced_.blocks.size(); ++b) {
        const std::size_t from = (b * stride + at) * stride;
        switch (node.lane_type()) {
            case Lane::i8:
                body(b, level_.table.as<std::int8_t>() + from);
                break;
            case Lane::i16:
                body(b, level_.table.as<std::int16_t>() + from);
                break;
            case Lane::i32:
                body(b, level_.table.as<std::int32_t>() + from);
                break;
            default:
                body(b, level_.table.as<double>() + from);
                break;
        }
    }
}

void PairCounts::cells(const Part& part, std::size_t at, std::vector<double>& out) const {
    const std::size_t n = part.features().size();
    out.assign(n * rows_.channels, 0);
    rows_of(at, [&](std::size_t block, const auto* counts) {
        const double* vector = part.block_vector(block);
        for (std::size_t f = 0; f < n; ++f)
            for (std::size_t c = 0; c < rows_.channels; ++c)
                out[f * rows_.channels + c] += counts[f] * vector[c];
    });
}

void PairCounts::columns(const Part& part, std::size_t at, std::int32_t* first, std::int32_t* second) const {
    const std::size_t n = part.features().size();
    std::fill(first, first + n, 0);
    std::fill(second, second + n, 0);
    rows_of(at, [&](std::size_t block, const auto* counts) {
        const double* vector = part.block_vector(block);
        const auto add = [&](double value, std::int32_t* out) {
            const std::int32_t factor = static_cast<std::int32_t>(value);
            if (factor == 1) {
                for (std::size_t f = 0; f < n; ++f) out[f] += static_cast<std::int32_t>(counts[f]);
            } else if (factor == -1) {
                for (std::size_t f = 0; f < n; ++f) out[f] -= static_cast<std::int32_t>(counts[f]);
            } else if (factor != 0) {
                for (std::size_t f = 0; f < n; ++f) out[f] += static_cast<std::int32_t>(counts[f]) * factor;
            }
        };
        add(vector[0], first);
        add(vector[1], second);
    });
}

}  // namespace streed

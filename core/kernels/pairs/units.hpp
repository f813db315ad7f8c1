// Costs of pairs in whole numbers of 32 bits. Part of kernels/body.hpp.
//
// Costs and prices are counted in a unit: one of which they are whole multiples, where that is known and the
// sums fit; else one that is as small as the sums allow, and what is found shows which roots must be
// solved exactly, or is a bound. These loops take most of the time of a search with prices, so all that they
// read of a block of lanes stands side by side in memory.

using Units = Vec<std::int32_t>;
constexpr int kUnitLanes = kLanes<std::int32_t>;

// A block of lanes as roots. The sums of the labels follow it: of the rows with the features, then of those
// without them.
struct UnitLanes {
    Units right, left;  // what the children gain at most by a second test, so far
    Units rows_right, rows_left;
    Units now, discounted, attribute, group;
    Units next;    // what any further test costs at least; for bounds only
    Units active;  // all bits or none
};
constexpr int kUnitVectors = sizeof(UnitLanes) / sizeof(Units);

// Some lanes of a table as whole numbers. GCC converts the halves of a vector one by one where there is an
// instruction for it.
template <class T>
inline Units widened(const T* from) {
    typedef T Narrow __attribute__((vector_size(sizeof(T) * kUnitLanes), aligned(sizeof(T)), may_alias));
#if STREED_VECTOR_BYTES == 32
    if constexpr (sizeof(T) == 1)
        return reinterpret_cast<Units>(
            _mm256_cvtepi8_epi32(_mm_loadl_epi64(reinterpret_cast<const __m128i*>(from))));
    if constexpr (sizeof(T) == 2)
        return reinterpret_cast<Units>(
            _mm256_cvtepi16_epi32(_mm_loadu_si128(reinterpret_cast<const __m128i*>(from))));
#endif
    return __builtin_convertvector(*reinterpret_cast<const Narrow*>(from), Units);
}

// To the nearest unit; or so that no gain is less than it is: sums up, prices down.
enum class Rounding { nearest, up };

// Numbers that are not negative, in units.
inline Units in_units(const double* numbers, double per, double add) {
    Units out;
    for (int k = 0; k < kUnitLanes; ++k) out[k] = static_cast<std::int32_t>(numbers[k] * per + add);
    return out;
}

// The most that any lane has to pay for a test.
inline double dearest_test(const Frame& frame, const PairProblem& problem) {
    double dearest = 0;
    for (int j = 0; problem.prices != nullptr && j < frame.stride; ++j)
        dearest = larger(dearest, larger(problem.prices->now[j], problem.prices->discounted[j]));
    return dearest;
}

// Lane k of the result is the largest lane of rows[k]. Every round joins the rows by twos, lanes of one
// beside those of the other.
inline Units largest_lanes(Units* rows) {
#if STREED_VECTOR_BYTES == 64
    const auto low = [](Units a, Units b) {
        return STREED_SHUFFLE(a, b, 0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23);
    };
    const auto high = [](Units a, Units b) {
        return STREED_SHUFFLE(a, b, 8, 24, 9, 25, 10, 26, 11, 27, 12, 28, 13, 29, 14, 30, 15, 31);
    };
#elif STREED_VECTOR_BYTES == 32
    const auto low = [](Units a, Units b) { return STREED_SHUFFLE(a, b, 0, 8, 1, 9, 2, 10, 3, 11); };
    const auto high = [](Units a, Units b) { return STREED_SHUFFLE(a, b, 4, 12, 5, 13, 6, 14, 7, 15); };
#else
    const auto low = [](Units a, Units b) { return STREED_SHUFFLE(a, b, 0, 4, 1, 5); };
    const auto high = [](Units a, Units b) { return STREED_SHUFFLE(a, b, 2, 6, 3, 7); };
#endif
    for (int half = kUnitLanes / 2; half > 0; half /= 2)
        for (int k = 0; k < half; ++k)
            rows[k] = larger(low(rows[k], rows[k + half]), high(rows[k], rows[k + half]));
    return rows[0];
}

inline std::int32_t lane_of(const Units& units, int lane) {
    return reinterpret_cast<const std::int32_t*>(&units)[lane];
}

// The lanes of a pair problem in units.
template <class T>
class UnitTable {
protected:
    // `work` has room for (5 + labels) * stride + labels doubles.
    UnitTable(const Frame& frame, const LeafModel& model, const PairProblem& problem, double unit,
              Rounding rounding, double* work)
        : frame_(frame),
          model_(model),
          problem_(problem),
          values_(model.n_values),
          step_(kUnitVectors + 2 * values_),
          lanes_(reinterpret_cast<Units*>(work)) {
        if (frame.n_active > 0) last_ = frame.active[frame.n_active - 1];
        factor_ = reinterpret_cast<std::int32_t*>(lanes_ + (last_ / kUnitLanes + 1) * step_);
        const T* totals = static_cast<const T*>(problem.totals);
        for (int c = 0; c < values_;
             ++c) {  // a label without rows has sums of zero, which need not be looked at
            const bool absent = model.kind == LeafKind::largest_sum && totals[c] == T{};
            const double factor = model.ticks * (model.scale != nullptr ? model.scale[c] : 1.0) / unit;
            factor_[c] = absent ? 0
                                : static_cast<std::int32_t>(rounding == Rounding::up ? __builtin_ceil(factor)
                                                                                     : factor + 0.5);
        }
        for (int begin = 0; begin <= last_; begin += kUnitLanes)
            load(begin, 1 / unit, rounding == Rounding::up ? 0.0 : 0.5);
        for (int k = 0; k < frame.n_idle; ++k)
            if (const int lane = frame.idle[k]; lane <= last_) set_lane(block(lane).active, lane, 0);
    }

    UnitLanes& block(int lane) const {
        return *reinterpret_cast<UnitLanes*>(lanes_ + lane / kUnitLanes * step_);
    }
    static Units* sums(UnitLanes& of) { return reinterpret_cast<Units*>(&of) + kUnitVectors; }
    static void set_lane(Units& units, int lane, std::int32_t value) {
        reinterpret_cast<std::int32_t*>(&units)[lane % kUnitLanes] = value;
    }

    // Calls row(i, right, left) for the active lanes, which gives what lane i gains as a row of the table: a
    // vector for each child, of which the largest lane counts. They are gathered for a whole block.
    template <class Row>
    void each_row(Units start, Row&& row) {
        int a = 0;
        for (int begin = 0; begin <= last_; begin += kUnitLanes) {
            Units most_right[kUnitLanes], most_left[kUnitLanes];
            for (int k = 0; k < kUnitLanes; ++k) most_right[k] = most_left[k] = start;
            for (; a < frame_.n_active && frame_.active[a] < begin + kUnitLanes; ++a)
                row(frame_.active[a], most_right[frame_.active[a] - begin],
                    most_left[frame_.active[a] - begin]);
            UnitLanes& mine = block(begin);
            mine.right = larger(mine.right, largest_lanes(most_right));
            mine.left = larger(mine.left, largest_lanes(most_left));
        }
    }

    const Frame& frame_;
    const LeafModel& model_;
    const PairProblem& problem_;
    const int values_;
    const int step_;  // vectors of a block
    int last_ = 0;    // active lane
    Units* lanes_;
    std::int32_t* factor_;  // [label], what a sum of one is counted as

private:
    void load(int begin, double per, double add) {
        UnitLanes& to = block(begin);
        const T* singles = static_cast<const T*>(problem_.singles) + begin;
        const T* totals = static_cast<const T*>(problem_.totals);
        to.right = to.left = Units{};
        to.active = reinterpret_cast<Units>(Units{} == Units{});
        for (int c = 0; c < values_; ++c) {
            const Units with = factor_[c] * widened(singles + c * frame_.stride);
            sums(to)[c] = with;
            sums(to)[values_ + c] = factor_[c] * static_cast<std::int32_t>(totals[c]) - with;
        }
        if (problem_.prices == nullptr) return;
        const PairPrices& prices = *problem_.prices;
        to.rows_right = widened(singles + values_ * frame_.stride);
        to.rows_left = static_cast<std::int32_t>(totals[values_]) - to.rows_right;
        to.now = in_units(prices.now + begin, per, add);
        to.discounted = in_units(prices.discounted + begin, per, add);
        for (int k = 0; k < kUnitLanes; ++k) {
            to.attribute[k] = static_cast<std::int32_t>(prices.attribute[begin + k]);
            to.group[k] = static_cast<std::int32_t>(prices.group[begin + k]);
        }
    }
};

// What the second tests of a row of the table and of a block of lanes cost, each after the other.
template <bool Grouped>
struct UnitPrices {
    Units now, discounted, attribute, group;

    UnitPrices(const UnitLanes& of, int lane)
        : now(splat(lane_of(of.now, lane))),
          discounted(splat(lane_of(of.discounted, lane))),
          attribute(splat(lane_of(of.attribute, lane))),
          group(splat(lane_of(of.group, lane))) {}
    void after(const UnitLanes& block, Units& of_i, Units& of_j) const {
        const Units paid = block.attribute == attribute;  // with the first test
        of_i = now & ~paid;
        of_j = block.now & ~paid;
        if constexpr (Grouped) {
            const Units mate = (block.group == group) & ~paid;
            of_i = (of_i & ~mate) | (discounted & mate);
            of_j = (of_j & ~mate) | (block.discounted & mate);
        }
    }
};

// `Values` is the number of labels; 0 stands for any number of them, 1 for the signed difference of two.
template <class T, bool Minus, int Values>
class UnitPairs : UnitTable<T> {
    using Table = UnitTable<T>;
    using Table::block, Table::sums, Table::frame_, Table::model_, Table::problem_, Table::values_,
        Table::step_, Table::last_, Table::lanes_, Table::factor_;

public:
    UnitPairs(const Frame& frame, const LeafModel& model, const PairProblem& problem, double unit,
              double* work)
        : Table(frame, model, problem, unit, Rounding::nearest, work) {}

    void solve(std::int32_t* right, std::int32_t* left) {
        const bool grouped = problem_.prices->grouped, limited = model_.min_samples_leaf > 1;
        this->each_row(Units{}, [&](int i, Units& on_right, Units& on_left) {
            if (limited)
                grouped ? row<true, true>(i, on_right, on_left) : row<false, true>(i, on_right, on_left);
            else
                grouped ? row<true, false>(i, on_right, on_left) : row<false, false>(i, on_right, on_left);
        });
        for (int begin = 0; begin <= last_; begin += kUnitLanes) {
            *vectors(right + begin) = block(begin).right;
            *vectors(left + begin) = block(begin).left;
        }
    }

private:
    // Row i of the table against the lanes up to i: root j with the second feature i, and root i with j.
    template <bool Grouped, bool Limited>
    void row(int i, Units& gained_right, Units& gained_left) {
        constexpr int kFixed = Values > 0 ? Values : 1;
        const int lane = i % kUnitLanes, values = Values > 0 ? Values : values_;
        UnitLanes& mine = block(i);
        const Units own_right = splat(lane_of(mine.rows_right, lane)),
                    own_left = splat(lane_of(mine.rows_left, lane));
        const UnitPrices<Grouped> prices(mine, lane);
        const std::size_t stride = static_cast<std::size_t>(frame_.stride), plane = stride * stride;
        const T* part = static_cast<const T*>(problem_.table) + static_cast<std::size_t>(i) * stride;
        const T* whole = Minus
                             ? static_cast<const T*>(problem_.minuend) + static_cast<std::size_t>(i) * stride
                             : nullptr;
        Units factor[kFixed], own[kFixed];
        for (int c = 0; c < kFixed; ++c) {
            factor[c] = splat(factor_[c]);
            own[c] = splat(lane_of(sums(mine)[c], lane));
        }
        Units most_right = {}, most_left = {};
        Units* at = lanes_;
        for (int begin = 0; begin <= i;
             begin += kUnitLanes, at += step_, part += kUnitLanes, whole += Minus ? kUnitLanes : 0) {
            UnitLanes& theirs = *reinterpret_cast<UnitLanes*>(at);
            Units best[4] = {};
            const auto take = [&](std::size_t c, Units scale, Units single) {
                const Units both = scale * pairs(part + c * plane, whole + (Minus ? c * plane : 0));
                const Units only_i = single - both;
                const Units cell[4] = {both, at[kUnitVectors + c] - both, only_i,
                                       at[static_cast<std::size_t>(kUnitVectors + values) + c] - only_i};
                for (int q = 0; q < 4; ++q)
                    best[q] = larger(best[q], Values == 1 ? larger(cell[q], -cell[q]) : cell[q]);
            };
            if constexpr (Values > 0) {
                for (std::size_t c = 0; c < Values; ++c) take(c, factor[c], own[c]);
            } else {
                for (int c = 0; c < values; ++c)
                    if (factor_[c] != 0)
                        take(static_cast<std::size_t>(c), splat(factor_[c]),
                             splat(lane_of(sums(mine)[c], lane)));
            }
            Units right_j = best[0] + best[1], left_j = best[2] + best[3];
            Units right_i = best[0] + best[2], left_i = best[1] + best[3];
            if constexpr (Limited) {
                const Units least = splat(static_cast<std::int32_t>(model_.min_samples_leaf));
                const std::size_t sizes = static_cast<std::size_t>(values) * plane;
                const Units both = pairs(part + sizes, whole + (Minus ? sizes : 0)),
                            only_i = own_right - both;
                const Units too_small[4] = {both < least, theirs.rows_right - both < least, only_i < least,
                                            theirs.rows_left - only_i < least};
                right_j &= ~(too_small[0] | too_small[1]);
                left_j &= ~(too_small[2] | too_small[3]);
                right_i &= ~(too_small[0] | too_small[2]);
                left_i &= ~(too_small[1] | too_small[3]);
            }
            Units of_i, of_j;
            prices.after(theirs, of_i, of_j);
            theirs.right = larger(theirs.right, right_j - of_i * theirs.rows_right);
            theirs.left = larger(theirs.left, left_j - of_i * theirs.rows_left);
            most_right = larger(most_right, (right_i & theirs.active) - of_j * own_right);
            most_left = larger(most_left, (left_i & theirs.active) - of_j * own_left);
        }
        gained_right = most_right;
        gained_left = most_left;
    }

    static Units pairs(const T* part, const T* whole) {
        if constexpr (Minus) return widened(whole) - widened(part);
        return widened(part);
    }
};

template <class T, bool Minus>
void unit_splits(const Frame& frame, const LeafModel& model, const PairProblem& problem, double unit,
                 std::int32_t* right, std::int32_t* left, double* work) {
    if (model.kind == LeafKind::signed_difference)
        return UnitPairs<T, Minus, 1>(frame, model, problem, unit, work).solve(right, left);
    if (model.n_values == 2)
        return UnitPairs<T, Minus, 2>(frame, model, problem, unit, work).solve(right, left);
    if (model.n_values == 3)
        return UnitPairs<T, Minus, 3>(frame, model, problem, unit, work).solve(right, left);
    UnitPairs<T, Minus, 0>(frame, model, problem, unit, work).solve(right, left);
}

// The most that any sum of the problem can be, with so many tests to be paid; in cost units.
template <class T>
double most_cost(const Frame& frame, const LeafModel& model, const PairProblem& problem, int tests) {
    const double rows = problem.prices != nullptr
                            ? static_cast<double>(static_cast<const T*>(problem.totals)[model.n_values])
                            : 0.0;
    // Differences of counted rows are no more than the rows; of others no more than the type is known.
    const double weight = model.kind == LeafKind::largest_sum ? weight_of_all<T>(model, problem)
                          : frame.counting ? rows
                                           : __builtin_ldexp(1.0, 8 * static_cast<int>(sizeof(T)));
    return model.ticks * weight + tests * dearest_test(frame, problem) * rows;
}

// A power of two, with which no more than 2^30 of it are needed: sums may be rounded up, and multiples of it
// are exact in doubles.
inline double rounded_unit(double most) {
    return most > 0 ? __builtin_ldexp(1.0, __builtin_ilogb(most) + 1 - 30) : 1.0;
}

// What both children of root i gain by a second test, in cost units and as exactly as they are. `active` is
// zero for other lanes.
template <class T, bool Minus>
void exact_gains(const Frame& frame, const LeafModel& model, const PairProblem& problem, int i,
                 const double* active, double& right, double& left) {
    using Numbers = Vec<double>;
    const std::size_t stride = static_cast<std::size_t>(frame.stride),
                      lanes = static_cast<std::size_t>(used_lanes(frame)),
                      own = static_cast<std::size_t>(i) * stride;
    const T* table = static_cast<const T*>(problem.table);
    const T* minuend = static_cast<const T*>(problem.minuend);
    const T* singles = static_cast<const T*>(problem.singles);
    const T* totals = static_cast<const T*>(problem.totals);
    const auto pairs = [&](std::size_t c, std::size_t j) {
        const std::size_t at = c * stride * stride + own + j;
        return Minus ? as_doubles(minuend + at) - as_doubles(table + at) : as_doubles(table + at);
    };
    const std::size_t values = static_cast<std::size_t>(model.n_values);
    const double rows_right = static_cast<double>(singles[values * stride + static_cast<std::size_t>(i)]);
    const double rows_left = static_cast<double>(totals[values]) - rows_right;
    const double least = static_cast<double>(model.min_samples_leaf);
    SecondPrices prices{problem.prices};
    prices.start(i);
    Numbers most_right = {}, most_left = {};
    for (std::size_t j = 0; j < lanes; j += kLanes<double>) {
        Numbers best[4] = {};
        for (std::size_t c = 0; c < values; ++c) {
            const double scale = model.scale != nullptr ? model.scale[c] : 1.0;
            const Numbers both = pairs(c, j), with = as_doubles(singles + c * stride + j);
            const double all = static_cast<double>(totals[c]),
                         mine = static_cast<double>(singles[c * stride + static_cast<std::size_t>(i)]);
            const Numbers cell[4] = {scale * both, scale * (with - both), scale * (mine - both),
                                     scale * ((all - with) - (mine - both))};
            for (int q = 0; q < 4; ++q)
                best[q] = larger(
                    best[q], model.kind == LeafKind::signed_difference ? larger(cell[q], -cell[q]) : cell[q]);
        }
        Numbers gain_right = best[0] + best[2], gain_left = best[1] + best[3];
        if (least > 1) {
            const Numbers both = pairs(values, j), with = as_doubles(singles + values * stride + j);
            gain_right = (both < least) | (rows_right - both < least) ? Numbers{} : gain_right;
            gain_left = (with - both < least) | (rows_left - (with - both) < least) ? Numbers{} : gain_left;
        }
        Numbers unused, second;
        prices.after(static_cast<int>(j), unused, second);
        const double ticks = model.ticks;
        const auto use = *vectors(active + j) != Numbers{};
        most_right = larger(most_right, use ? ticks * gain_right - second * rows_right : Numbers{});
        most_left = larger(most_left, use ? ticks * gain_left - second * rows_left : Numbers{});
    }
    right = largest_lane<double>(most_right);
    left = largest_lane<double>(most_left);
}

// What the bounds between the children of a node need of all lanes (similarity.cpp): weights of pairs, prices
// after a test, one solved child against all its siblings. Part of kernels/body.hpp.

template <class T>
void typed_pair_weights(const Frame& frame, const void* table, const void* positive, int n_values,
                        const double* scale, double* out) {
    const std::size_t size = static_cast<std::size_t>(frame.stride) * static_cast<std::size_t>(frame.stride);
    const T* t = static_cast<const T*>(table);
    const T* p = static_cast<const T*>(positive);
    const std::size_t stride = static_cast<std::size_t>(frame.stride);
    for (int a = 0; a < frame.n_active; ++a) {
        const std::size_t begin = static_cast<std::size_t>(frame.active[a]) * stride;
        if (p != nullptr) {
            for (std::size_t j = begin; j < begin + stride; ++j)
                out[j] = 2.0 * static_cast<double>(p[j]) - static_cast<double>(t[j]);
            continue;
        }
        for (int c = 0; c < n_values; ++c) {
            const double factor = scale != nullptr ? scale[c] : 1.0;
            const T* own = t + static_cast<std::size_t>(c) * size;
            if (c == 0)
                for (std::size_t j = begin; j < begin + stride; ++j)
                    out[j] = factor * static_cast<double>(own[j]);
            else
                for (std::size_t j = begin; j < begin + stride; ++j)
                    out[j] += factor * static_cast<double>(own[j]);
        }
    }
}

void pair_weights(const Frame& frame, const void* table, const void* positive, int n_values,
                  const double* scale, double* out) {
    switch (frame.lane) {
        case Lane::i8:
            return typed_pair_weights<std::int8_t>(frame, table, positive, n_values, scale, out);
        case Lane::i16:
            return typed_pair_weights<std::int16_t>(frame, table, positive, n_values, scale, out);
        case Lane::i32:
            return typed_pair_weights<std::int32_t>(frame, table, positive, n_values, scale, out);
        default:
            return typed_pair_weights<double>(frame, table, positive, n_values, scale, out);
    }
}

void prices_after_test(int stride, const PairPrices& before, int lane, const PriceArrays& after) {
    using Loose = SecondPrices::Loose;
    const auto load = [](const double* numbers) { return SecondPrices::lanes(numbers); };
    const auto store = [](double* to, Vec<double> numbers) { *reinterpret_cast<Loose*>(to) = numbers; };
    const double own = before.attribute[lane], mates = before.group[lane];
    const Vec<double> zero = {};
    for (int j = 0; j < stride; j += kLanes<double>) {
        const Vec<double> number = load(before.attribute + j), discounted = load(before.discounted + j);
        const auto paid = number == own;
        const Vec<double> price = load(before.group + j) == mates ? discounted : load(before.now + j);
        store(after.now + j, paid ? zero : price);
        store(after.discounted + j, paid ? zero : discounted);
        store(after.attribute + j, paid ? zero - 1.0 : number);
    }
}

void lost_prices(int stride, const PairPrices& prices, const double* missed, int lane, double* out) {
    const auto load = [](const double* numbers) { return SecondPrices::lanes(numbers); };
    const double own = prices.attribute[lane], mates = prices.group[lane];
    for (int j = 0; j < stride; j += kLanes<double>) {
        const Vec<double> price = load(prices.group + j) == mates ? load(prices.discounted + j)
                                                                  : load(missed + j);
        *reinterpret_cast<SecondPrices::Loose*>(out + j) = load(prices.attribute + j) == own ? Vec<double>{}
                                                                                             : price;
    }
}

// What the child costs less on the right and on the left side of the features in some lanes, with what it
// shares with them.
template <bool Side>
inline void fall(const SharedRows& of, int lane, Vec<double>& on_right, Vec<double>& on_left) {
    const auto load = [lane](const double* numbers) { return SecondPrices::lanes(numbers + lane); };
    const Vec<double> right = Side ? load(of.both) : load(of.single) - load(of.both);
    const Vec<double> left = of.own - right;
    const Vec<double> each = of.each != nullptr ? load(of.each) : Vec<double>{};
    on_right += of.per * left + each * right;
    on_left += of.per * right + each * left;
}

template <bool Side>
void push_from(int stride, const SharedRows& weights, const SharedRows* rows, double value, double* left,
               double* right) {
    using Loose = SecondPrices::Loose;
    for (int g = 0; g < stride; g += kLanes<double>) {
        Vec<double> on_right = {}, on_left = {};
        fall<Side>(weights, g, on_right, on_left);
        if (rows != nullptr) fall<Side>(*rows, g, on_right, on_left);
        Loose* to_right = reinterpret_cast<Loose*>(right + g);
        Loose* to_left = reinterpret_cast<Loose*>(left + g);
        *to_right = larger<Vec<double>>(*to_right, value - on_right);
        *to_left = larger<Vec<double>>(*to_left, value - on_left);
    }
}

void push_bounds(int stride, const SharedRows& weights, const SharedRows* rows, double value, double* left,
                 double* right) {
    weights.side ? push_from<true>(stride, weights, rows, value, left, right)
                 : push_from<false>(stride, weights, rows, value, left, right);
}

// Of x rows that have both features and y that have only the other one, the right child lacks y of the
// sibling on the right and has x of the one on the left; the left child has y and lacks x.
void push_both(int lanes, const SolvedChildren& children, double* left, double* right) {
    using Loose = SecondPrices::Loose;
    const double per = children.per;
    const Vec<double> right_alone = splat(children.right - per * children.own),
                      left_alone = splat(children.left - per * (children.all - children.own));
    const Vec<double> right_value = splat(children.right), left_value = splat(children.left);
    for (int g = 0; g < lanes; g += kLanes<double>) {
        const Vec<double> x = per * SecondPrices::lanes(children.both + g),
                          y = per * SecondPrices::lanes(children.single + g) - x;
        Loose* to_right = reinterpret_cast<Loose*>(right + g);
        Loose* to_left = reinterpret_cast<Loose*>(left + g);
        *to_right = larger<Vec<double>>(*to_right, larger<Vec<double>>(right_alone + x, left_alone + y));
        *to_left = larger<Vec<double>>(*to_left, larger<Vec<double>>(right_value - x, left_value - y));
    }
}

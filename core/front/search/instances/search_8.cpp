// The front search for 8 components.
#include "front/search/search_impl.hpp"

template class streed::FrontSearch<8>;

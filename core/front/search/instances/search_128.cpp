// The front search for 128 components.
#include "front/search/search_impl.hpp"

template class streed::FrontSearch<128>;

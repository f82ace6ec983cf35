#pragma once
#include <string>
#include <string_view>

#include "craton/base/matrix.h"

// Small words of tables and pictures.

namespace craton {

std::string plural(Index count, std::string_view noun);  // "1 row", "2 rows"
std::string shown(double value);                 // 6 digits: enough to compare, few enough to read
std::string percent(double share);               // "12.3 %"
std::string base_name(const std::string& path);  // without folders

// "islands.csv: " before a title, where the rows have a name.
std::string title_start(const std::string& rows);

}  // namespace craton

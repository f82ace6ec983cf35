#pragma once
#include "craton/base/json.h"
#include "craton/model/registry.h"

// What --json prints: everything a verb knows, under the names used everywhere.

namespace craton::cli {

Json to_json(const Array& array);  // nested lists
Json to_json(const OptionValue& value);
Json to_json(const Schema& schema, std::span<const std::int32_t> labels);  // what they stand for
Json to_json(const FitReport& report);
Json to_json(const Fitted& fitted);  // model, columns, options, report, parameters, tables, ...
Json to_json(const ModelInfo& info);

}  // namespace craton::cli

#include "cli/showing/predictions.h"

#include "craton/base/files.h"
#include "craton/io/csv_write.h"

namespace craton::cli {

std::string prediction_header(const Schema& schema, Index classes) {
  std::string text = "label";
  for (Index c = 0; c < classes; ++c) text += "," + csv_field("p_" + label_name(schema, c));
  return text;
}

std::string prediction_fields(const Schema& schema, Index label, std::span<const double> proba) {
  std::string text = csv_field(label_name(schema, label));
  for (const double p : proba) text += "," + csv_field(p);
  return text;
}

namespace {

void write_numbers(const std::string& path, const Data& data, const Predictions& predictions,
                   const Exec& exec) {
  constexpr std::size_t kPiece = std::size_t{1} << 20;  // bytes to have in memory
  const std::vector<double> truth = numbers_of(data.source(), exec);
  FileWriter file(path);
  std::string text = std::string("row,fold,truth,") + kNumberHeader + "\n";
  for (Index i = 0; i < data.size(); ++i) {
    const std::int32_t fold = predictions.fold[usize(i)];
    text += std::to_string(data.kept ? (*data.kept)[i] : i) + ",";
    text += (fold < 0 ? "" : std::to_string(fold + 1)) + "," + csv_field(truth[usize(i)]) + ",";
    text += (fold < 0 ? "" : csv_field(predictions.numbers[usize(i)])) + "\n";
    if (text.size() < kPiece && i + 1 < data.size()) continue;
    file.append(text);
    text.clear();
  }
  file.commit();
}

}  // namespace

void write_predictions(const std::string& path, const Data& data, const Schema& schema,
                       const Predictions& predictions, const Exec& exec) {
  if (!predictions.numbers.empty()) return write_numbers(path, data, predictions, exec);
  constexpr std::size_t kPiece = std::size_t{1} << 20;  // bytes to have in memory
  const Index classes = predictions.proba.empty() ? 0 : predictions.proba.cols();
  const std::vector<std::int32_t> truth = labels_of(data.source(), exec);
  FileWriter file(path);
  std::string text = std::string("row,fold,") + (truth.empty() ? "" : "truth,") +
                     prediction_header(schema, classes) + "\n";
  for (Index i = 0; i < data.size(); ++i) {
    const std::int32_t fold = predictions.fold[usize(i)];
    text += std::to_string(data.kept ? (*data.kept)[i] : i) + ",";
    text += (fold < 0 ? "" : std::to_string(fold + 1)) + ",";
    if (!truth.empty()) {
      const std::int32_t label = truth[usize(i)];
      text += (label < 0 ? "" : csv_field(label_name(data.schema(), label))) + ",";
    }
    if (fold < 0) {
      text.append(usize(classes), ',');
    } else {
      const double* const proba = predictions.proba.values.data() + i * classes;
      text += prediction_fields(schema, predictions.labels[usize(i)], {proba, usize(classes)});
    }
    text += "\n";
    if (text.size() < kPiece && i + 1 < data.size()) continue;
    file.append(text);
    text.clear();
  }
  file.commit();
}

}  // namespace craton::cli

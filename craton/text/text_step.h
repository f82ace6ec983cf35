#pragma once
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "craton/base/report.h"
#include "craton/tables/step.h"
#include "craton/text/text_options.h"

// A column of text as sparse rows, a column for each term: what is counted, and how it is weighed,
// is learned from the texts of a fit and kept with the model (tokens.h, vocabulary.h, weights.h).
// The rows are all that a model sees, or an inner table beside the other columns (Chunk::inner); or
// a column has the number of the word at each position of a text, as far as there is one.

namespace craton {

struct CountWork;     // count.h
struct EachText;      // count.h
struct TermRows;      // count.h
struct LearnedTerms;  // term_counts.h
class TermWeights;    // weights.h

// What becomes of texts: the columns of the rows, an inner table beside their columns, or columns
// of words by position.
enum class TextPlace { kColumns, kBeside, kPositions };

class TextStep final : public Step {
 public:
  static constexpr std::string_view kPrefix = "text.";

  // From the texts of a table, which has one column of them. InputError: no text, or no term that
  // is left of them. `counted`: rows that were counted on the way, if all texts are in memory; else
  // none.
  static TextStep learn(Source& x, const TextOptions& options, const Exec& exec,
                        TermRows* counted = nullptr, TextPlace place = TextPlace::kColumns);
  // The same from texts that are no table, whose rows are counted if terms are not hashed.
  static TextStep learn(const EachText& texts, const TextOptions& options, const Exec& exec,
                        TermRows& counted, TextPlace place = TextPlace::kColumns);

  static bool is_parameter(std::string_view name) { return name.starts_with(kPrefix); }
  // Nothing, when there are none. InputError (kDamagedModel) for what makes no sense.
  static std::optional<TextStep> from_parameters(const ParameterList& parameters, Index columns,
                                                 TextPlace place = TextPlace::kColumns);

  const TextOptions& options() const { return options_; }
  TextPlace place() const { return place_; }
  Index columns() const;  // that it makes, or codes of the inner table
  // Their names: terms, or numbers of those that are hashed.
  std::string term(Index column) const;
  const TermWeights& weights() const;
  // Of the documents of the fit, those that have the term. requires a vocabulary.
  double document_share(Index column) const;
  // The row of one text, appended.
  void count(const Texts& texts, CountWork& work, SparseArray& out) const;
  // The number of each word of one text, from its first on; NaN: not known, or the text has ended.
  // requires kPositions.
  void find_positions(std::string_view text, CountWork& work, double* out) const;
  std::vector<Note> notes() const;  // what should be known of its options: Tokeniser
  // What terms are looked up in is made when it is first needed; to have that behind one.
  void get_ready() const;

  // Are its terms those of every text, none chosen or weighed by the others? Then it can be told
  // from two steps what that of the texts of both is.
  bool grows() const;
  // That step; InputError (kBadOption) says why there is none. `places`: the columns of a and b in
  // it.
  static TextStep merged(const TextStep& a, const TextStep& b, std::vector<Index>& places_of_a,
                         std::vector<Index>& places_of_b);
  // The step of these texts, with options as here, but no term of theirs left out; there may be
  // none. requires a vocabulary.
  TextStep all_terms(Source& x, const Exec& exec) const;
  Index unknown_in(const TextStep& other) const;  // terms of it that are not here

  std::unique_ptr<Step> copy() const override { return std::make_unique<TextStep>(*this); }
  std::string_view prefix() const override { return kPrefix; }
  Index inputs(Index outputs) const override { return beside() ? outputs : 0; }
  std::unique_ptr<Source> over(Source& x) const override;
  void do_row(const double* row, Index inputs, double* out) const override;
  const Affine* affine() const override { return nullptr; }
  double log_volume() const override { return 0; }  // of counts
  Cause not_affine() const override;
  std::optional<Schema> schema(const Schema& given) const override;
  bool fits(const Schema& given) const override { return given.texts.size() == 1; }
  void add_up(std::span<const double> of_outputs, std::span<double> of_inputs) const override;
  void visit_parameters(ParameterVisitor& v) const override;
  std::vector<Parameter> parameters() const override;
  std::vector<ResultTable> tables(const Schema& schema) const override;

 private:
  struct Parts;
  TextStep(const TextOptions& options, TextPlace place);
  bool beside() const { return place_ == TextPlace::kBeside; }
  void set_terms(LearnedTerms terms, double length);

  TextOptions options_;
  TextPlace place_;
  std::string how_;                     // the options, as a model file has them
  std::shared_ptr<const Parts> parts_;  // what was learned: it does not change
};

// Of the rows of texts after the step, those without an entry.
Index rows_without_terms(Source& rows, const Exec& exec);

// Rows that were counted, with the labels, targets and weights of a table, in memory; or beside the
// columns of that table. Borrows the table.
std::unique_ptr<Source> counted_rows(TermRows rows, Index columns, Source& x, const Exec& exec,
                                     TextPlace place = TextPlace::kColumns);

}  // namespace craton

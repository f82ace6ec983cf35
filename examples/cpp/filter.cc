#include <craton/base/error.h>
#include <craton/model/model_file.h>

#include <cmath>
#include <cstdio>
#include <iostream>
#include <string>
#include <vector>

// A model of texts inside a program: filter MODEL labels each line of its input.
//
//   craton fit multinomial-nb mail.csv --text body --target label -o spam.craton
//   filter spam.craton < messages.txt
//
// The room to work in is made once: no line takes memory but one that is longer than all before.

int main(int argc, char** argv) try {
  if (argc != 2) {
    std::fputs("usage: filter MODEL < LINES\n", stderr);
    return 1;
  }
  const craton::Fitted fitted = craton::load_model(argv[1]);
  const craton::AnyModel& model = *fitted.model;
  craton::RowWork work(model);  // one for each thread
  std::vector<double> log_p(static_cast<std::size_t>(model.classes()));
  for (std::string line; std::getline(std::cin, line);) {
    const std::int32_t label = model.predict_text(line, work);
    model.predict_log_proba_text(line, work, log_p);
    std::printf("%s %.4f\n", label_name(fitted.schema, label).c_str(),
                std::exp(log_p[static_cast<std::size_t>(label)]));
  }
} catch (const craton::InputError& error) {  // no such file, a model that reads no texts, ...
  std::fprintf(stderr, "%s\n", error.what());
  return 2;
}

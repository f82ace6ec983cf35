#pragma once
#include "cli/command.h"

// One function a verb, each in the file of its name. Returns the exit code; errors are thrown.

namespace craton::cli {

inline constexpr int kOk = 0, kInternal = 70, kInterrupted = 130;

int fit(const Command& command);
int learn(const Command& command);
int unlearn(const Command& command);
int merge(const Command& command);
int predict(const Command& command);
int score(const Command& command);
int sample(const Command& command);
int describe(const Command& command);
int models(const Command& command);
int select(const Command& command);
int cv(const Command& command);
int compare(const Command& command);
int plot(const Command& command);
int explain(const Command& command);
int convert(const Command& command);
int completion(const Command& command);
int man(const Command& command);
int doctor(const Command& command);

}  // namespace craton::cli

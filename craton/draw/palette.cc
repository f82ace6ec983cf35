#include "craton/draw/palette.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

namespace craton {
namespace {

// The pair that differs most comes first, and what is faint on white last.
constexpr std::array<std::string_view, 8> kColours{
    "#0072b2",  // blue
    "#d55e00",  // vermilion
    "#009e73",  // bluish green
    "#cc79a7",  // reddish purple
    "#e69f00",  // orange
    "#56b4e9",  // sky blue
    "#4d4d4d",  // black, softened
    "#c9bc0f",  // yellow, darkened to be seen on white
};
constexpr std::array kMarks{Mark::kDisc, Mark::kTriangle, Mark::kSquare, Mark::kDiamond};
constexpr std::size_t kChannels = 3;
constexpr int kHex = 16;
constexpr std::string_view kNoGroup = "#8a8a8a";

constexpr std::string_view kWhite = "#ffffff", kBlack = "#000000";

std::array<double, kChannels> channels(std::string_view colour) {
  std::array<double, kChannels> found{};
  for (std::size_t c = 0; c < kChannels; ++c) {
    found[c] = std::stoi(std::string(colour.substr(1 + 2 * c, 2)), nullptr, kHex);
  }
  return found;
}

std::string colour_of(const std::array<double, kChannels>& channels) {
  std::string text = "#";
  for (const double channel : channels) {
    text += fmt::format("{:02x}", static_cast<int>(std::round(channel)));
  }
  return text;
}

std::string moved(std::string_view colour, std::string_view to, double share) {
  std::array from = channels(colour);
  const std::array there = channels(to);
  for (std::size_t c = 0; c < kChannels; ++c) from[c] += share * (there[c] - from[c]);
  return colour_of(from);
}

std::string polygon(double x, double y, double radius, int corners, double first_angle) {
  std::string path;
  for (int i = 0; i < corners; ++i) {
    const double angle = first_angle + 2 * std::numbers::pi * i / corners;
    path += fmt::format("{}{} {}", i == 0 ? "M" : "L", svg_number(x + radius * std::cos(angle)),
                        svg_number(y + radius * std::sin(angle)));
  }
  return path + "Z";
}

}  // namespace

GroupStyle group_style(int group) {
  if (group < 0) return {kNoGroup, Mark::kDisc};
  const auto at = static_cast<std::size_t>(group);
  return {kColours[at % kColours.size()], kMarks[at / kColours.size() % kMarks.size()]};
}

std::string group_fill(int group) {
  constexpr double kLighter = 0.55, kDarker = 0.45;
  const std::string colour(group_style(group).colour);
  const auto cycle = group < 0 ? 0 : static_cast<std::size_t>(group) / kColours.size() % 3;
  return cycle == 0 ? colour
                    : moved(colour, cycle == 1 ? kWhite : kBlack, cycle == 1 ? kLighter : kDarker);
}

std::string lightened(std::string_view colour, double share) {
  return moved(colour, kWhite, share);
}

std::string shade(double share) {
  constexpr std::string_view kLeast = "#f4f8fc", kMiddle = "#56a0d3", kMost = "#08306b";
  const double at = std::clamp(share, 0.0, 1.0);
  return at < 0.5 ? moved(kLeast, kMiddle, 2 * at) : moved(kMiddle, kMost, 2 * at - 1);
}

bool is_dark(std::string_view colour) {
  const std::array c = channels(colour);
  constexpr double kHalf = 140;
  return 0.299 * c[0] + 0.587 * c[1] + 0.114 * c[2] < kHalf;
}

std::string mixed_colour(std::span<const double> shares) {
  constexpr double kSteps = 15;  // of a share
  std::array<double, kChannels> sum{};
  double total = 0;
  for (std::size_t g = 0; g < shares.size(); ++g) {
    const double share = std::round(kSteps * shares[g]);
    if (!(share > 0)) continue;
    const std::array colour = channels(group_fill(static_cast<int>(g)));
    for (std::size_t c = 0; c < kChannels; ++c) sum[c] += share * colour[c];
    total += share;
  }
  if (total == 0) return std::string(kNoGroup);
  for (double& channel : sum) channel /= total;
  return colour_of(sum);
}

void draw_mark(Svg& svg, Mark mark, double x, double y, double radius, std::string_view told) {
  constexpr double kUp = -std::numbers::pi / 2;
  switch (mark) {
    case Mark::kDisc:
      svg.add("circle", {{"cx", x}, {"cy", y}, {"r", radius}}, told);
      return;
    case Mark::kTriangle:
      svg.add("path", {{"d", polygon(x, y, 1.5 * radius, 3, kUp)}}, told);
      return;
    case Mark::kSquare:
      svg.add("path", {{"d", polygon(x, y, 1.25 * radius, 4, kUp / 2)}}, told);
      return;
    case Mark::kDiamond:
      svg.add("path", {{"d", polygon(x, y, 1.25 * radius, 4, kUp)}}, told);
      return;
  }
}

}  // namespace craton

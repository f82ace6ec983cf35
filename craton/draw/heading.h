#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "craton/draw/svg.h"

// What all pictures look like: inks, sizes of text, and the title with its subtitle on top.

namespace craton {

inline constexpr double kPictureMargin = 24;
inline constexpr double kNameSize = 13;  // of words beside the data, and of subtitles
inline constexpr const char* kInk = "#222222";
inline constexpr const char* kSoftInk = "#5c5c5c";

// Cut to the room there is, in pixels.
std::string fitted_text(std::string_view text, double room, double font_size);

class Heading {
 public:
  // Lines of at most so many pixels; a title has at most two, a subtitle three. Either may be "".
  Heading(const std::string& title, const std::string& subtitle, double room);

  double bottom() const;  // in pixels from the top of the picture
  void draw(Svg& svg, double left) const;

 private:
  std::vector<std::string> title_, subtitle_;
};

}  // namespace craton

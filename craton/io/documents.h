#pragma once
#include "craton/io/open.h"

// Tables of documents: a column `text`, in files that hold nothing else.

namespace craton {

// A folder tree: a file a row, by path; the folder that a file lies in is its `label`, unless all
// lie in one. Names that begin with a dot, links to folders, and what is no file (a pipe, a device)
// are passed over, and the notes say so.
// InputError (kBadFile): a file that cannot be read, or is no text (TextEncoding); kNoRows.
OpenedTable open_folder(const std::string& path, const ReadOptions& options, const Exec& exec);

// A document a line, blank ones too.
OpenedTable read_document_lines(Input& input, const ReadOptions& options);

}  // namespace craton

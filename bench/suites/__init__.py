"""One module a suite: `cases(data, quick)` gives what is asked, `data` being a folder or None."""

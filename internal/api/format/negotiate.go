package format

import "savedq/internal/http/accept"

// Negotiate returns the format for the Accept headers of a request. It is JSON unless the
// headers name another format and prefer it. At equal quality a named format precedes a
// wildcard, and JSON precedes the other formats. Malformed items are ignored.
func Negotiate(headers []string) Format {
	chosen := JSON()
	if len(headers) == 0 || len(headers) == 1 && (headers[0] == "*/*" || headers[0] == chosen.MediaType) {
		return chosen // nearly every request; it is not parsed
	}
	named, wildcard, best := 0.0, 0.0, 0.0
	formats := All()
	for item := range accept.Items(headers) {
		if item.Malformed {
			continue
		}
		switch item.Value {
		case "*/*", "application/*":
			wildcard = max(wildcard, item.Quality)
			continue
		}
		for _, format := range formats {
			switch {
			case item.Value != format.MediaType:
			case format.Name == "json":
				named = max(named, item.Quality)
			case item.Quality > best:
				chosen, best = format, item.Quality
			}
		}
	}
	if best <= named || best < wildcard {
		return JSON()
	}
	return chosen
}

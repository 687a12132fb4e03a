package httpserver

import (
	"net/http"
	"net/url"
	"strings"
)

// cleanPaths serves a path with doubled slashes, or with slashes at its end, as the one without
// them: clients join addresses in both ways, and senders give up after a 404. It does not
// redirect, because many of them would not follow. An encoded slash stays as it is.
func cleanPaths(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if path := cleanPath(r.URL.Path); path != r.URL.Path && r.URL.RawPath == "" {
			cleaned := new(http.Request)
			*cleaned = *r
			cleaned.URL = new(url.URL)
			*cleaned.URL = *r.URL
			cleaned.URL.Path = path
			r = cleaned
		}
		next.ServeHTTP(w, r)
	})
}

// cleanPath returns a path without doubled slashes and without slashes at its end.
func cleanPath(path string) string {
	for strings.Contains(path, "//") {
		path = strings.ReplaceAll(path, "//", "/")
	}
	if len(path) > 1 {
		path = strings.TrimSuffix(path, "/")
	}
	return path
}

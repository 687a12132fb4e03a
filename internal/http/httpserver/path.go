package httpserver

import (
	"net/http"
	"net/url"
	"strings"

	"savedq/sqlq"
)

// cleanPaths serves a path with doubled slashes, or with slashes at its end, as the one without
// them: clients join addresses in both ways, and senders give up after a 404. It does not
// redirect, because many of them would not follow. An encoded slash stays as it is.
func cleanPaths(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if path := cleanPath(r.URL.Path); path != r.URL.Path && r.URL.RawPath == "" {
			r = withPath(r, path)
		}
		next.ServeHTTP(w, r)
	})
}

// withPath returns a copy of a request with another path.
func withPath(r *http.Request, path string) *http.Request {
	changed := new(http.Request)
	*changed = *r
	changed.URL = new(url.URL)
	*changed.URL = *r.URL
	changed.URL.Path = path
	return changed
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

// underBasePath passes requests on without the base path. The handlers behind it do not know
// that there is one.
func (c *Config) underBasePath(next http.Handler) http.Handler {
	if c.BasePath == "" {
		return next
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if path := c.inner(r.URL.Path); path != "" {
			next.ServeHTTP(w, withPath(r, path))
			return
		}
		c.Errors.Write(w, r, sqlq.Errorf(sqlq.NotFound,
			"nothing is served at this path; all paths of this server begin with %[1]s, its --base-path, such as %[1]s%[2]s", c.BasePath, GraphQLPath))
	})
}

// inner returns a path without the base path; empty if it is outside of it. Those that probe the
// server do not send their requests through the proxy, so the paths of probes need no base path.
func (c *Config) inner(path string) string {
	rest, found := strings.CutPrefix(path, c.BasePath)
	switch {
	case path == AlivePath, path == ReadyPath, path == HealthPath:
		return path
	case path == metadataPath+c.BasePath+MCPPath: // as RFC 9728 has it
		return metadataPath
	case found && rest == "":
		return "/"
	case found && rest[0] == '/':
		return rest
	}
	return ""
}

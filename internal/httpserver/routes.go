package httpserver

import (
	"net/http"
	"strings"
)

// route is what serves a path.
type route struct {
	handler http.Handler
	// servedBy names the interface that it belongs to; it is one of a few names.
	servedBy string
}

// routes finds what serves a path. Unlike [http.ServeMux] it takes a path as it is, and
// redirects none to a cleaner one: no caller of an API expects that.
type routes struct {
	// at are those of single paths, and below those of all paths under one, which ends
	// in a slash.
	at, below map[string]route
	elsewhere route
}

// add has a route serve a path, and all under it if it ends in a slash and is not the
// root.
func (r *routes) add(path string, to route) {
	if path != "/" && strings.HasSuffix(path, "/") {
		r.below[path] = to
		return
	}
	r.at[path] = to
}

// find returns the route of a path.
func (r *routes) find(path string) route {
	if found, ok := r.at[path]; ok {
		return found
	}
	for above, found := range r.below {
		if strings.HasPrefix(path, above) {
			return found
		}
	}
	return r.elsewhere
}

// ServeHTTP has the route of the request's path serve it.
func (r *routes) ServeHTTP(w http.ResponseWriter, request *http.Request) {
	r.find(request.URL.Path).handler.ServeHTTP(w, request)
}

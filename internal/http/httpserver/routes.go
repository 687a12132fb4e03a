package httpserver

import (
	"net/http"
	"strings"
)

// route is what serves a path, and all under it if it ends in a slash and is not the root.
type route struct {
	path    string
	handler http.Handler
	// servedBy names the interface that it belongs to; it is one of a few names.
	servedBy string
}

// routes finds what serves a path. Unlike [http.ServeMux] it takes a path as it is, and
// redirects none to a cleaner one: no caller of an API expects that.
type routes struct {
	at        map[string]route
	below     []route
	elsewhere route
}

// add has a route serve its path.
func (r *routes) add(added route) {
	if added.path != "/" && strings.HasSuffix(added.path, "/") {
		r.below = append(r.below, added)
		return
	}
	r.at[added.path] = added
}

// find returns the route of a path.
func (r *routes) find(path string) route {
	if found, ok := r.at[path]; ok {
		return found
	}
	for _, found := range r.below {
		if strings.HasPrefix(path, found.path) {
			return found
		}
	}
	return r.elsewhere
}

// ServeHTTP has the route of the request's path serve it.
func (r *routes) ServeHTTP(w http.ResponseWriter, request *http.Request) {
	r.find(request.URL.Path).handler.ServeHTTP(w, request)
}

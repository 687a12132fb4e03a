package httpserver

import (
	"net/http"
	"strings"
)

// route serves a path. A path that ends in a slash, other than the root, matches all paths
// below it. One that begins with an asterisk matches all paths with the end that follows it.
type route struct {
	path    string
	handler http.Handler
	// servedBy names the interface that the route belongs to. It is one of a few names.
	servedBy string
	// postServedBy is the interface of POST, if that is another one.
	postServedBy string
}

// interfaceOf returns the name of the interface that serves a request.
func (r route) interfaceOf(request *http.Request) string {
	if request.Method == http.MethodPost && r.postServedBy != "" {
		return r.postServedBy
	}
	return r.servedBy
}

// routes maps paths to routes. Unlike [http.ServeMux] it does not clean paths or redirect
// to cleaned ones, which API clients do not expect.
type routes struct {
	exact    map[string]route
	suffixes []route
	prefixes []route
	notFound route
}

// add registers a route.
func (r *routes) add(added route) {
	if strings.HasPrefix(added.path, "*") {
		r.suffixes = append(r.suffixes, added)
		return
	}
	if added.path != "/" && strings.HasSuffix(added.path, "/") {
		r.prefixes = append(r.prefixes, added)
		return
	}
	r.exact[added.path] = added
}

// find returns the route of a path, or notFound.
func (r *routes) find(path string) route {
	if match, ok := r.exact[path]; ok {
		return match
	}
	for _, match := range r.suffixes {
		if strings.HasSuffix(path, match.path[1:]) {
			return match
		}
	}
	for _, match := range r.prefixes {
		if strings.HasPrefix(path, match.path) {
			return match
		}
	}
	return r.notFound
}

// ServeHTTP passes the request to the route of its path.
func (r *routes) ServeHTTP(w http.ResponseWriter, request *http.Request) {
	r.find(request.URL.Path).handler.ServeHTTP(w, request)
}

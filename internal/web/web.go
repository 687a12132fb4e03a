// Package web serves the browser pages: the dashboard and GraphiQL, whose built
// files it embeds. They come from the sources in web.
package web

import (
	"bytes"
	"embed"
	"encoding/json"
	"fmt"
	"io/fs"
	"net/http"
	"path"
	"regexp"
	"slices"
)

// dist is the output of "npm run build" in web.
//
//go:embed dist
var dist embed.FS

// dashboardPolicy restricts the dashboard to this server: injected content can neither
// load anything from elsewhere nor send anything there. Styles that scripts set on
// elements are not inline styles and need no exception.
const dashboardPolicy = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; font-src 'self'; " +
	"connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

// graphiqlPolicy is the same but for GraphiQL's editor, which writes its colours
// into style elements, and runs its language services in workers of this server.
const graphiqlPolicy = "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; font-src 'self'; " +
	"connect-src 'self'; worker-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

// assetPolicy is for files that are no pages. It binds GraphiQL's workers, which
// compute and load nothing.
const assetPolicy = "default-src 'none'; frame-ancestors 'none'"

const (
	// graphiqlPath is the path of the page that is no part of the dashboard.
	graphiqlPath = "/graphiql"
	// assetsPath is the path of scripts, styles, fonts and pictures.
	assetsPath = "/assets/"
	// immutableFile is the Cache-Control of files whose names have a hash of their content.
	immutableFile = "public, max-age=31536000, immutable"
	// revalidatedFile is the Cache-Control of files whose content changes with the program.
	revalidatedFile = "no-cache"
)

// hashedName matches the name of a file that has a hash of its content.
var hashedName = regexp.MustCompile(`-[A-Za-z0-9_-]{8}\.[a-z0-9]+$`)

// Paths returns the paths that [Handler] is to serve: the pages, each at exactly its path, and
// the directory of all files that they load, which ends in a slash.
func Paths() []string {
	return append(dashboardPaths(), graphiqlPath, assetsPath)
}

// dashboardPaths returns the paths of the pages of the dashboard, from the list that its scripts have, too.
func dashboardPaths() []string {
	var pages map[string]struct {
		Path string `json:"path"`
	}
	if err := json.Unmarshal(bodyOf("pages.json"), &pages); err != nil {
		panic(fmt.Sprintf("web: the list of the pages cannot be read: %v", err)) // a test has read it
	}
	paths := make([]string, 0, len(pages))
	for _, page := range pages {
		paths = append(paths, page.Path)
	}
	slices.Sort(paths)
	return paths
}

// Handler serves GET and HEAD on [Paths]. It needs no token, because the files are not
// secret: the pages fetch all data from the interfaces. basePath is what callers have before
// these paths; empty for nothing.
func Handler(basePath string) http.Handler {
	dashboard := newPage("index.html", dashboardPolicy, basePath)
	files := map[string]*file{graphiqlPath: newPage("graphiql.html", graphiqlPolicy, basePath)}
	for _, path := range dashboardPaths() {
		files[path] = dashboard
	}
	assets, err := fs.ReadDir(dist, "dist/assets")
	if err != nil {
		panic(fmt.Sprintf("web: the pages are not built: %v", err)) // the compiler has seen to it
	}
	for _, asset := range assets {
		caching := revalidatedFile
		if hashedName.MatchString(asset.Name()) {
			caching = immutableFile
		}
		files[assetsPath+asset.Name()] = newFile(asset.Name(), bodyOf(path.Join("assets", asset.Name())), caching, assetPolicy)
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		requested, found := files[r.URL.Path]
		switch {
		case !found:
			http.Error(w, "This file does not exist. The page may be from an earlier version: reload it.", http.StatusNotFound)
		case r.Method != http.MethodGet && r.Method != http.MethodHead:
			w.Header().Set("Allow", "GET, HEAD")
			http.Error(w, "Only GET and HEAD are supported.", http.StatusMethodNotAllowed)
		default:
			requested.serve(http.StatusOK, w, r)
		}
	})
}

// NotFound serves GET and HEAD on unknown paths: the dashboard, which shows a message,
// with the status 404.
func NotFound(basePath string) http.Handler {
	dashboard := newPage("index.html", dashboardPolicy, basePath)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		dashboard.serve(http.StatusNotFound, w, r)
	})
}

// newPage returns a page of dist. The page names its assets relative to the home page, but it can be
// served below that, too. Its scripts find the base path in their own addresses.
func newPage(name, policy, basePath string) *file {
	body := bytes.ReplaceAll(bodyOf(name), []byte(`"./assets/`), []byte(`"`+basePath+assetsPath))
	return newFile(name, body, revalidatedFile, policy)
}

// bodyOf reads an embedded file.
func bodyOf(name string) []byte {
	body, err := dist.ReadFile(path.Join("dist", name))
	if err != nil {
		panic(fmt.Sprintf("web: the pages are not built: %v", err)) // the compiler has seen to it
	}
	return body
}

package httpserver

import (
	"net/http"
	"slices"
	"strings"

	"savedq/internal/auth"
	"savedq/internal/http/httpjson"
)

// metadataPath is where clients read who issues tokens for the tools (RFC 9728). Some append the path
// of the tools.
const metadataPath = "/.well-known/oauth-protected-resource"

// addMCP adds the path of the tools, and the path of its metadata, which needs no token.
func (c *Config) addMCP(all *routes, slots chan struct{}, notFound http.Handler) {
	tools := c.sameOrigin("call tools", c.bounded(c.MCP, slots))
	all.add(route{path: MCPPath, handler: c.guardWith(tools, auth.HandlerConfig{Metadata: c.metadataURL}), servedBy: "mcp"})
	for _, path := range []string{metadataPath, metadataPath + MCPPath} {
		all.add(route{path: path, handler: c.metadata(notFound), servedBy: "mcp"})
	}
}

// metadataURL returns the URL of the metadata; empty if there is none.
func (c *Config) metadataURL(r *http.Request) string {
	if len(c.issuers()) == 0 {
		return ""
	}
	return c.publicURL(r) + metadataPath
}

// metadata serves the metadata of the tools, if there are issuers of signed tokens.
func (c *Config) metadata(notFound http.Handler) http.Handler {
	found := c.Errors.ForGet(func(w http.ResponseWriter, r *http.Request) error {
		w.Header().Set("Cache-Control", "no-store")
		return httpjson.Write(w, http.StatusOK, struct {
			Resource             string   `json:"resource"`
			AuthorizationServers []string `json:"authorization_servers"`
			BearerMethods        []string `json:"bearer_methods_supported"`
			Name                 string   `json:"resource_name"`
		}{c.publicURL(r) + MCPPath, c.issuers(), []string{"header"}, "savedq"})
	})
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if len(c.issuers()) == 0 {
			notFound.ServeHTTP(w, r)
			return
		}
		found.ServeHTTP(w, r)
	})
}

// issuers returns the issuers of signed tokens that clients can find, whose names are URLs.
func (c *Config) issuers() []string {
	return slices.DeleteFunc(c.Issuers(), func(name string) bool {
		return !strings.HasPrefix(name, "https://") && !strings.HasPrefix(name, "http://")
	})
}

// publicURL returns the URL of the server as the caller of a request knows it.
func (c *Config) publicURL(r *http.Request) string {
	scheme := "http://"
	if r.TLS != nil || r.Header.Get("X-Forwarded-Proto") == "https" {
		scheme = "https://"
	}
	return scheme + r.Host + c.BasePath
}

package server

import (
	"fmt"
	"net"
	"strings"

	"savedq/internal/api/mcp"
	"savedq/internal/http/httpserver"
)

// baseURL returns the URL at which a server is reachable from its own machine.
func baseURL(address net.Addr) string {
	if tcp, ok := address.(*net.TCPAddr); ok && tcp.IP.IsUnspecified() {
		return fmt.Sprintf("http://localhost:%d", tcp.Port)
	}
	return "http://" + address.String()
}

// welcome returns what a server prints when it is ready.
func (s *Server) welcome() string {
	example, token := exampleRequest(s.current.Load().catalog.Queries(), s.access.shown(s.config.Clock()))
	allowed := s.access
	allowed.header = strings.Replace(allowed.header, tokenName, token, 1)
	return welcome(baseURL(s.listener.Addr())+s.config.BasePath, allowed, example, !s.config.GraphQL.WithoutIntrospection, s.writer != nil)
}

// welcome returns the URLs of the server and a curl command. The command works when
// pasted, unless the server only knows hashes of tokens; then it has a placeholder. example is
// the request of the command, as [exampleRequest] returns it. introspects reports whether the server
// serves its schema, and ingests whether it receives events.
func welcome(base string, allowed access, example string, introspects, ingests bool) string {
	option, fragment := "", ""
	if allowed.header != "" {
		option = "-H " + allowed.header + " "
	}
	if allowed.secret != "" {
		fragment = "#token=" + allowed.secret
	}
	var text strings.Builder
	_, _ = fmt.Fprintf(&text, "savedq is ready on %s\n", base)
	_, _ = fmt.Fprintf(&text, "  Pages    %s/%s\n", base, fragment)
	_, _ = fmt.Fprintf(&text, "  GraphQL  %s%s\n", base, httpserver.GraphQLPath)
	if introspects {
		_, _ = fmt.Fprintf(&text, "  Schema   %s%s\n", base, httpserver.SchemaPath)
	}
	_, _ = fmt.Fprintf(&text, "  REST     %s%s<name>\n", base, httpserver.RESTPath)
	_, _ = fmt.Fprintf(&text, "  OpenAPI  %s%s\n", base, httpserver.OpenAPIPath)
	_, _ = fmt.Fprintf(&text, "  MCP      %s%s\n", base, mcp.Path)
	if ingests {
		_, _ = fmt.Fprintf(&text, "  Events   %s%s?source=<name>\n", base, httpserver.IngestPath)
	}
	if allowed.secret != "" {
		_, _ = fmt.Fprintf(&text, "  Token    %s (kept in %s; set %s to choose one)\n", allowed.secret, allowed.secretFile, TokenVariable)
	}
	if example != "" {
		_, _ = fmt.Fprintf(&text, "Try it:\n  curl %s'%s%s%s'\n", option, base, httpserver.RESTPath, example)
	}
	return text.String()
}

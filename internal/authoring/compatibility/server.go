package compatibility

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"

	"github.com/vektah/gqlparser/v2"
	"github.com/vektah/gqlparser/v2/ast"

	"savedq/internal/http/outgoing"
)

// Server is a running server, whose saved queries are read over GraphQL.
type Server struct {
	Client *http.Client
	// URL is the address of the server, such as http://127.0.0.1:8080.
	URL string
	// Token is sent with each request, unless it is empty.
	Token string
}

// maxResponseBytes limits a response.
const maxResponseBytes = 64 << 20

// document reads everything that callers rely on, as deeply as servers allow by default.
func document() string {
	const depth = 7
	columns := "name field type nullable"
	fields := columns
	for range depth {
		fields = columns + " fields { " + fields + " }"
	}
	return "{ endpoints { id name aliases field maxRows parameters { name argument type required default defaults allowed values fallback pattern format maxLength min max maxItems scope } columns { " + fields + " } } }"
}

// remoteEndpoint is an endpoint as the server returns it.
type remoteEndpoint struct {
	Endpoint
	Parameters []struct {
		Param
		// Single is the default of a parameter that is not an array.
		Single *string `json:"default"`
	}
}

// Endpoints returns the endpoints that the token may run.
func (s *Server) Endpoints(ctx context.Context) ([]Endpoint, error) {
	request, err := json.Marshal(map[string]string{"query": document()})
	if err != nil {
		return nil, err
	}
	body, err := s.send(ctx, http.MethodPost, "/graphql", request)
	if err != nil {
		return nil, err
	}
	var response struct {
		Data   struct{ Endpoints []remoteEndpoint }
		Errors []struct{ Message string }
	}
	if err := json.Unmarshal(body, &response); err != nil {
		return nil, fmt.Errorf("%s is not a savedq server: its response is not that of GraphQL", s.URL)
	}
	if len(response.Errors) > 0 {
		return nil, fmt.Errorf("%s cannot be compared with, because it responds: %s", s.URL, response.Errors[0].Message)
	}
	sdl, err := s.send(ctx, http.MethodGet, "/schema.graphql", nil)
	if err != nil {
		return nil, err
	}
	schema, err := gqlparser.LoadSchema(&ast.Source{Name: s.URL + "/schema.graphql", Input: string(sdl)})
	if err != nil {
		return nil, fmt.Errorf("read the schema of %s: %w", s.URL, err)
	}
	endpoints := make([]Endpoint, len(response.Data.Endpoints))
	for i := range response.Data.Endpoints {
		endpoints[i] = response.Data.Endpoints[i].endpoint(schema)
	}
	return endpoints, nil
}

// send sends a request and returns the body of the response.
func (s *Server) send(ctx context.Context, method, path string, body []byte) ([]byte, error) {
	request, err := outgoing.NewRequest(ctx, method, strings.TrimSuffix(s.URL, "/")+path, bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	request.Header.Set("Content-Type", "application/json")
	if s.Token != "" {
		request.Header.Set("X-API-KEY", s.Token) //nolint:canonicalheader // As the documents write it.
	}
	response, err := s.Client.Do(request)
	if err != nil {
		if failure, ok := errors.AsType[*net.OpError](err); ok && failure.Op == "dial" {
			return nil, fmt.Errorf("reach the server: %w; start the server, or correct the URL", err)
		}
		return nil, fmt.Errorf("reach the server: %w", err)
	}
	text, err := io.ReadAll(io.LimitReader(response.Body, maxResponseBytes))
	if err := errors.Join(err, response.Body.Close()); err != nil {
		return nil, fmt.Errorf("read the response of %s: %w", s.URL, err)
	}
	switch {
	case response.StatusCode == http.StatusUnauthorized:
		return nil, fmt.Errorf("%s does not accept the token; set the variable SAVEDQ_TOKEN to one of its tokens", s.URL)
	case response.StatusCode != http.StatusOK && path != "/graphql":
		return nil, fmt.Errorf("%s%s responds with %s", s.URL, path, response.Status)
	}
	return text, nil
}

// endpoint returns the endpoint with the type names of the schema.
func (r *remoteEndpoint) endpoint(schema *ast.Schema) Endpoint {
	endpoint := r.Endpoint
	field := schema.Query.Fields.ForName(r.Field)
	if field != nil {
		endpoint.Row = field.Type.Name()
	}
	nameTypes(endpoint.Columns, schema, endpoint.Row)
	for _, remote := range r.Parameters {
		param := remote.Param
		if remote.Single != nil {
			param.Default = []string{*remote.Single}
		}
		if field != nil {
			if argument := field.Arguments.ForName(param.Argument); argument != nil {
				param.GraphQLType = argument.Type.Name()
			}
		}
		endpoint.Params = append(endpoint.Params, param)
	}
	return endpoint
}

// nameTypes sets the types of columns, which are fields of an object.
func nameTypes(columns []Column, schema *ast.Schema, object string) {
	for i := range columns {
		column := &columns[i]
		if definition := schema.Types[object]; definition != nil {
			if field := definition.Fields.ForName(column.Field); field != nil {
				column.GraphQLType = field.Type.Name()
			}
		}
		nameTypes(column.Fields, schema, column.GraphQLType)
	}
}

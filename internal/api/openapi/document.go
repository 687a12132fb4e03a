// Package openapi describes the REST paths of saved queries in OpenAPI 3.1. It derives the
// document from the declarations of the saved queries (D12 to D16), so that it always
// matches what is served.
package openapi

import (
	"cmp"
	"context"
	"fmt"
	"net/http"

	"savedq/internal/api/describe"
	"savedq/internal/http/httpcache"
	"savedq/internal/http/httperror"
	"savedq/internal/text/jsontext"
	"savedq/sqlq"
)

// about is the description of the document, in Markdown.
const about = `Each saved query has three paths with the same rows: by name at
` + "`/api/endpoints/<name>`" + `, by id at ` + "`/api/endpoints/query/<id>`" + ` (a UUID in any letter case) and,
for compatibility, at ` + "`/api/endpoints/query/<name>`" + `. HEAD is like GET without a response body. A path
can end in a slash, and a saved query can have aliases, which work like its name and id. Old callers
of the original service find the same rows at ` + "`/api/endpoints/query/name/<name>`" + ` and at
` + "`/endpoints/query/<id or name>`" + `.

Parameters are in the query string, or in the body: a JSON object or a form. GET accepts a
body, too, but OpenAPI cannot describe that. An empty value is the same as an absent one,
unknown parameters are ignored, and a parameter that is repeated, or in both the query string
and the body, is an error. Responses are cached for the
time in the description of the path; see ` + "`X-Cache`, `Age` and `Cache-Control`" + `.

This document is for the token of its request: it lists the saved queries that the token may use with the values
that it may use, what the token allows, and the paths for log events, usage, tokens and Explore if it may use them.`

// Caller says what the document of a caller has besides saved queries.
type Caller struct {
	// Ingest is for the paths that receive log events, Usage for that of what tokens used, and Explore for that of SQL
	// over the tables.
	Ingest, Usage, Explore bool
	// Alerts is for the paths that silence, acknowledge and check alerts, and Develops for those that write them to
	// folders.
	Alerts, Develops bool
	// Tokens is for the paths that list, create and revoke tokens.
	Tokens bool
	// Sources are the log sources of these events.
	Sources sqlq.Tables
	// Bound limits parameters; nil limits none.
	Bound describe.Bound
	// BasePath begins all paths of the server; empty for none.
	BasePath string
}

// Document returns the OpenAPI document of saved queries for a caller. The same queries give the
// same bytes. The version is the program's.
func Document(queries []*sqlq.SavedQuery, caller Caller, version string) ([]byte, error) {
	described := document{
		OpenAPI:  "3.1.1",
		Info:     info{Title: "savedq", Description: about, Version: version},
		Servers:  []server{{URL: cmp.Or(caller.BasePath, "/"), Description: "The server that this document comes from."}},
		Security: []map[string][]string{{"apiKey": {}}, {"bearer": {}}},
		Tags:     []tag{},
		Paths:    make(map[string]pathItem),
		Components: components{
			Parameters: requestOptions(),
			Headers:    headers(),
			Responses:  map[string]response{notModified: notModifiedResponse()},
			Schemas:    map[string]schema{errorSchema: object(required("error", detailSchema()))},
			SecuritySchemes: map[string]securityScheme{
				"apiKey": {Type: "apiKey", Description: "A token from \"savedq token new\".", Name: "X-API-KEY", In: "header"},
				"bearer": {Type: "http", Description: "The same token in the standard header.", Scheme: "bearer"},
			},
		},
	}
	for _, failure := range failures() {
		described.Components.Responses[failure.name] = failure.response()
	}
	described.addList()
	described.addViewer()
	described.addAlerts()
	if caller.Alerts {
		described.addAlertNotes()
	}
	if caller.Alerts && caller.Develops { // both share components
		described.addAlertEdits()
	}
	if caller.Usage {
		described.addUsage()
		described.addBackends()
	}
	if caller.Tokens {
		described.addTokens()
	}
	if caller.Explore {
		described.addExplore()
	}
	if caller.Ingest {
		described.addIngest(caller.Sources)
	}
	for _, query := range queries {
		if err := described.add(query, caller.Bound); err != nil {
			return nil, fmt.Errorf("describe %s: %w", query.Name, err)
		}
	}
	return jsontext.Marshal(described)
}

// NewHandler returns a handler that serves the document, on GET and HEAD, with the saved
// queries that the caller may see, as the caller may use them. Caches must revalidate it.
func NewHandler(queries func(ctx context.Context) []*sqlq.SavedQuery, caller func(ctx context.Context) Caller, version string, errors *httperror.Writer) http.Handler {
	return errors.ForGet(func(w http.ResponseWriter, r *http.Request) error {
		text, err := Document(queries(r.Context()), caller(r.Context()), version)
		if err != nil {
			return err
		}
		httpcache.WriteRevalidated(w, r, "application/json; charset=utf-8", text)
		return nil
	})
}

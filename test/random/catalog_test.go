package random_test

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"io/fs"
	"log/slog"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"github.com/vektah/gqlparser/v2"
	"github.com/vektah/gqlparser/v2/ast"
	"github.com/vektah/gqlparser/v2/formatter"

	"savedq/graph"
	"savedq/internal/api/format/formattest"
	"savedq/internal/api/graphqlhttp"
	"savedq/internal/api/graphqlrules"
	"savedq/internal/api/mcp"
	"savedq/internal/api/openapi"
	"savedq/internal/api/rest"
	"savedq/internal/http/httperror"
	"savedq/internal/logs/logstore"
	"savedq/sqlq"
	"savedq/sqlq/catalog"
	"savedq/sqlq/duckdb"
	"savedq/sqlq/duckdb/duckdbsql"
	"savedq/sqlq/runner"
	"savedq/sqlq/sqlqtest"
	"savedq/test/random/randomcatalog"
)

const (
	catalogs = 3
	queries  = 10
)

// service serves a random catalog.
type service struct {
	*randomcatalog.Catalog
	catalog *catalog.Catalog
	schema  *graph.Schema
	rest    http.Handler
	graphQL http.Handler
	mcp     http.Handler
}

func serve(t *testing.T, seed uint64) *service {
	t.Helper()
	random := randomcatalog.New(rand.New(rand.NewPCG(seed, 0)), randomcatalog.Options{
		Queries: queries, ArraysOfArrays: true, ParamTypes: sqlq.ParamTypes(),
		ColumnTypes: []sqlq.Type{sqlq.String, sqlq.Int64, sqlq.Float64, sqlq.Numeric, sqlq.Bool, sqlq.Timestamp, sqlq.Datetime, sqlq.Date, sqlq.JSON},
	})
	s := serveFiles(t, random.Files)
	s.Catalog = random
	return s
}

// serveFiles serves the saved queries of a directory.
func serveFiles(t *testing.T, files fs.FS) *service {
	t.Helper()
	read, err := graph.ReadCatalog(duckdbsql.Dialect{}, catalog.Directory{FS: files, Path: "random"})
	require.NoError(t, err)
	store, err := logstore.OpenEmpty(t.Context())
	require.NoError(t, err)
	t.Cleanup(func() { assert.NoError(t, store.Close()) })
	engine := duckdb.New(store.DB())
	for _, query := range read.Queries() {
		_, err := engine.Check(t.Context(), query)
		require.NoError(t, err)
	}
	schema, err := graph.NewSchema(read)
	require.NoError(t, err)
	config := sqlqtest.Config(read, engine, time.Now)
	config.QueryTimeout, config.QueueTimeout, config.QueueTarget = time.Hour, time.Hour, time.Hour
	running, logger := runner.New(config), slog.New(slog.DiscardHandler)
	limits := graphqlrules.DefaultLimits()
	limits.Complexity, limits.Selections = 1<<30, 1<<20
	return &service{
		catalog: read, schema: schema,
		rest: rest.NewHandler(running, nil, logger),
		graphQL: graphqlhttp.NewHandler(graphqlhttp.Config{
			Runner: running, Schema: schema, Logger: logger, BodyBytes: 1 << 20, Limits: limits,
		}),
		mcp: mcp.NewServer(mcp.Config{
			Runner: running, Queries: read.Queries(), Tables: read.Tables(), Caller: func(context.Context) mcp.Caller { return mcp.Caller{} },
			Version: "test", Errors: httperror.NewWriter(logger), Logger: logger,
		}),
	}
}

// Rows over every interface and in every format are those that the SQL spells, for columns and parameters of every type,
// nested or not (D13, D27, D28, D45).
func TestRows(t *testing.T) {
	t.Parallel()
	db := formattest.DuckDB(t)
	for seed := range uint64(catalogs) {
		t.Run(strconv.FormatUint(seed, 10), func(t *testing.T) {
			t.Parallel()
			s := serve(t, seed)
			for _, query := range s.Queries {
				want := canonical(t, []byte(encode(t, restObjects(query))))
				for name, rows := range map[string]string{
					"JSON": s.overREST(t, query), "NDJSON": s.inLines(t, query), "CSV": s.inCSV(t, db, query),
					"Arrow": s.inArrow(t, query), "Parquet": s.inParquet(t, db, query),
				} {
					assert.Equal(t, want, rows, "%s: %s", name, query.Name)
				}
				want = canonical(t, []byte(encode(t, objectsWith(query, inISO8601))))
				assert.Equal(t, want, s.overMCP(t, query), query.Name)
				want = canonical(t, []byte(encode(t, graphQLObjects(s.field(query.Name), query))))
				assert.Equal(t, want, s.overGraphQL(t, query), query.Name)
			}
		})
	}
}

// field returns the field of a saved query.
func (s *service) field(name string) *graph.Field {
	for _, definition := range s.schema.AST().Query.Fields {
		if field := s.schema.Field(definition.Name); field != nil && field.Query.Name == name {
			return field
		}
	}
	return nil
}

// variables returns the variables for raw parameters, their declarations and the arguments
// that use them.
func (s *service) variables(t *testing.T, field *graph.Field, raw map[string][]string) (values map[string]any, declarations, arguments string) {
	t.Helper()
	values = make(map[string]any)
	var declared, used []string
	definition := s.schema.AST().Query.Fields.ForName(field.Name)
	for _, argument := range field.Arguments {
		texts, given := raw[argument.Param.Name]
		if !given {
			continue
		}
		list := make([]any, len(texts))
		for i, text := range texts {
			list[i] = variable(&argument, text)
		}
		values[argument.Name] = list
		if !argument.Param.Type.IsArray() {
			values[argument.Name] = list[0]
		}
		declared = append(declared, "$"+argument.Name+": "+definition.Arguments.ForName(argument.Name).Type.String())
		used = append(used, argument.Name+": $"+argument.Name)
	}
	if len(used) == 0 {
		return values, "", ""
	}
	return values, "(" + strings.Join(declared, ", ") + ")", "(" + strings.Join(used, ", ") + ")"
}

// variable returns the value of a variable for the text of a parameter.
func variable(argument *graph.Argument, text string) any {
	for _, value := range argument.Values {
		if value.Value == text {
			return value.Name
		}
	}
	return typed(argument.Param.Type.Element(), text)
}

// typed returns the value of a type in JSON for the text of a parameter.
func typed(of sqlq.Type, text string) any {
	switch of { //nolint:exhaustive // The others are strings.
	case sqlq.Int64, sqlq.Float64:
		return json.Number(text)
	case sqlq.Bool:
		return text == "true"
	}
	return text
}

// selection selects all fields.
func selection(fields []graph.ColumnField) string {
	var selected strings.Builder
	for _, field := range fields {
		selected.WriteString(field.Name + " ")
		if field.Fields != nil {
			selected.WriteString("{ " + selection(field.Fields) + "} ")
		}
	}
	return selected.String()
}

// restObjects returns the rows as REST encodes them.
func restObjects(query randomcatalog.Query) []any {
	return objectsWith(query, func(moment time.Time) any { return moment.UnixMicro() })
}

// spelling returns how a TIMESTAMP is encoded.
type spelling func(moment time.Time) any

func inISO8601(moment time.Time) any { return moment.Format(time.RFC3339Nano) }

// objectsWith returns the rows as REST encodes them, but for times.
func objectsWith(query randomcatalog.Query, spell spelling) []any {
	objects := make([]any, len(query.Rows))
	for i, row := range query.Rows {
		objects[i] = spell.object(query.Columns, row)
	}
	return objects
}

func (s spelling) object(columns []sqlq.Column, values []any) map[string]any {
	object := make(map[string]any)
	for i := range columns {
		object[columns[i].Name] = s.value(&columns[i], values[i])
	}
	return object
}

func (s spelling) value(column *sqlq.Column, value any) any {
	values, nested := value.([]any)
	switch {
	case column.Type.IsArray():
		list := make([]any, len(values))
		for i := range values {
			list[i] = s.value(column.Element(), values[i])
		}
		return list
	case nested:
		return s.object(column.Fields, values)
	}
	moment, isTime := value.(time.Time)
	number, isDecimal := value.(sqlq.Decimal)
	switch {
	case isDecimal:
		return json.Number(number)
	case !isTime:
		return value
	case column.Type == sqlq.Timestamp:
		return s(moment)
	case column.Type == sqlq.Date:
		return moment.Format(time.DateOnly)
	case moment.Nanosecond() == 0:
		return moment.Format("2006-01-02T15:04:05")
	}
	return moment.Format("2006-01-02T15:04:05.000000")
}

// graphQLObjects returns the rows as GraphQL encodes them.
func graphQLObjects(field *graph.Field, query randomcatalog.Query) []any {
	objects := make([]any, len(query.Rows))
	for i, row := range query.Rows {
		objects[i] = graphQLObject(field.Columns, row)
	}
	return objects
}

func graphQLObject(fields []graph.ColumnField, values []any) map[string]any {
	object := make(map[string]any)
	for i := range fields {
		object[fields[i].Name] = graphQLValue(&fields[i], fields[i].Column, values[i])
	}
	return object
}

func graphQLValue(field *graph.ColumnField, column *sqlq.Column, value any) any {
	values, nested := value.([]any)
	switch {
	case column.Type.IsArray():
		list := make([]any, len(values))
		for i := range values {
			list[i] = graphQLValue(field, column.Element(), values[i])
		}
		return list
	case nested:
		return graphQLObject(field.Fields, values)
	}
	if moment, isTime := value.(time.Time); isTime && column.Type != sqlq.Date {
		return moment.Format(time.RFC3339Nano)
	}
	if number, isDecimal := value.(sqlq.Decimal); isDecimal {
		return string(number)
	}
	return spelling(inISO8601).value(column, value)
}

// The schema of every catalog is valid for gqlparser and for graphql-js, and it is the same
// schema after it has been printed and read again, and by introspection.
func TestSchemas(t *testing.T) {
	t.Parallel()
	type schema struct {
		SDL           string          `json:"sdl"`
		Introspection json.RawMessage `json:"introspection"`
	}
	schemas, services := make([]schema, catalogs), make([]*service, catalogs)
	for seed := range schemas {
		s := serve(t, uint64(seed))
		schemas[seed] = schema{s.schema.SDL(), s.introspect(t)}
		services[seed] = s
		document, err := openapi.Document(s.catalog.Queries(), openapi.Caller{}, "test")
		require.NoError(t, err)
		assert.True(t, json.Valid(document))
	}
	const audit = "../../internal/api/graphqlhttp/audit"
	if _, err := os.Stat(audit + "/node_modules/graphql"); err != nil {
		t.Skip("SKIPPED: run \"npm ci --ignore-scripts\" in internal/api/graphqlhttp/audit first")
	}
	input, err := json.Marshal(schemas)
	require.NoError(t, err)
	node := exec.CommandContext(t.Context(), "node", "schemas.js")
	node.Dir, node.Stdin, node.Stderr = audit, bytes.NewReader(input), os.Stderr
	output, err := node.Output()
	require.NoError(t, err)
	var read []struct {
		Found   []string `json:"found"`
		Printed string   `json:"printed"`
	}
	decode(t, output, &read)
	require.Len(t, read, catalogs)
	for seed, s := range services {
		assert.Empty(t, read[seed].Found, "seed %d", seed)
		again, err := gqlparser.LoadSchema(&ast.Source{Input: read[seed].Printed})
		require.NoError(t, err)
		delete(again.Directives, "defer") // gqlparser adds it
		assert.Equal(t, printSDL(s.schema.AST()), printSDL(again), "seed %d", seed)
	}
}

// printSDL prints a schema in a canonical format, without descriptions, which graphql-js
// compares.
func printSDL(schema *ast.Schema) string {
	var sdl strings.Builder
	formatter.NewFormatter(&sdl, formatter.WithoutDescription()).FormatSchema(schema)
	return sdl.String()
}

// introspect returns the data of the introspection query of graphql-js.
func (s *service) introspect(t *testing.T) json.RawMessage {
	t.Helper()
	document, err := os.ReadFile("testdata/introspection.graphql")
	require.NoError(t, err)
	body, err := json.Marshal(map[string]string{"query": string(document)})
	require.NoError(t, err)
	request := httptest.NewRequestWithContext(t.Context(), http.MethodPost, "/graphql", bytes.NewReader(body))
	request.Header.Set("Content-Type", "application/json")
	var response struct{ Data json.RawMessage }
	decode(t, respond(t, s.graphQL, request), &response)
	return response.Data
}

// respond returns the body of a response, which must have succeeded.
func respond(t *testing.T, handler http.Handler, request *http.Request) []byte {
	t.Helper()
	recorder := httptest.NewRecorder()
	handler.ServeHTTP(recorder, request)
	body, err := io.ReadAll(recorder.Body)
	require.NoError(t, err)
	require.Equal(t, http.StatusOK, recorder.Code, string(body))
	var failed struct{ Errors []any }
	decode(t, body, &failed)
	require.Empty(t, failed.Errors)
	return body
}

func decode(t *testing.T, text []byte, into any) {
	t.Helper()
	require.NoError(t, json.Unmarshal(text, into), string(text))
}

// canonical returns JSON with sorted keys and its numbers as they are.
func canonical(t *testing.T, text []byte) string {
	t.Helper()
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.UseNumber()
	var value any
	require.NoError(t, decoder.Decode(&value), string(text))
	return encode(t, withNumbers(value))
}

// withNumbers replaces numbers that are not whole, which have several spellings.
func withNumbers(value any) any {
	switch value := value.(type) {
	case json.Number:
		if number, err := value.Float64(); err == nil && strings.ContainsAny(value.String(), ".eE") {
			return number
		}
	case []any:
		for i := range value {
			value[i] = withNumbers(value[i])
		}
	case map[string]any:
		for key := range value {
			value[key] = withNumbers(value[key])
		}
	}
	return value
}

// encode encodes a value with sorted keys.
func encode(t *testing.T, value any) string {
	t.Helper()
	text, err := json.Marshal(value)
	require.NoError(t, err)
	var compact bytes.Buffer
	require.NoError(t, json.Compact(&compact, text))
	return compact.String()
}

package resolvers_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/99designs/gqlgen/graphql"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"github.com/vektah/gqlparser/v2/ast"
	"pgregory.net/rapid"

	"savedq/graph/graphtest"
	"savedq/sqlq"
)

// For every selection and all rows, the objects are those that gqlgen's own code writes: the
// same fields in the same order with the same values.
func TestSelectionsMatchGqlgen(t *testing.T) {
	t.Parallel()
	schema, catalog, rows := graphtest.ShippedSchema(t).AST(), shippedCatalog(t), make(map[string][][]any)
	plain, executor := plainExecutor(plain{rows: rows}), newExecutor(t, returningEach(catalog, rows))
	rapid.Check(t, func(rt *rapid.T) {
		for name := range fieldsOfQueries() {
			query, _ := catalog.Find(name)
			rows[name] = rapid.SliceOfN(rowOf(query), 0, 3).Draw(rt, name)
		}
		document := (&documentGenerator{rt: rt, schema: schema}).document()
		variables := map[string]any{"yes": rapid.Bool().Draw(rt, "yes"), "no": rapid.Bool().Draw(rt, "no")}
		want := tokensOf(t, execute(t, plain, document, variables))
		got := tokensOf(t, execute(t, executor, document, variables))
		require.Equal(t, want, got, "%s\n%v", document, variables)
	})
}

// A row is encoded without an allocation of its own.
func TestRowsDoNotAllocate(t *testing.T) { //nolint:paralleltest // It counts the allocations of the process.
	catalog := shippedCatalog(t)
	allocations := func(count int) float64 {
		rows := slices.Repeat([][]any{{"a", now, "text", json.RawMessage(`[]`)}}, count)
		executor := newExecutor(t, returningEach(catalog, map[string][][]any{"logs.all": rows}))
		return testing.AllocsPerRun(5, func() { execute(t, executor, `{ logs(project: "p") { id timestamp eventMessage } }`, nil) })
	}
	assert.InDelta(t, allocations(10), allocations(1000), 20)
}

// Named cases that random documents may miss.
func TestSelections(t *testing.T) {
	t.Parallel()
	rows := map[string][][]any{"logs.all": {
		{"a", now, nil, json.RawMessage(`[{"x": 1}]`)},
		{"b", now.Add(time.Second), "text", nil},
	}}
	for document, want := range map[string]string{
		`{ logs(project: "p") { id } }`:                                                               `[{"id":"a"},{"id":"b"}]`,
		`{ logs(project: "p") { eventMessage id } }`:                                                  `[{"eventMessage":null,"id":"a"},{"eventMessage":"text","id":"b"}]`,
		`{ logs(project: "p") { a: id b: id a: id } }`:                                                `[{"a":"a","b":"a"},{"a":"b","b":"b"}]`,
		`{ logs(project: "p") { __typename kind: __typename } }`:                                      `[{"__typename":"LogEntry","kind":"LogEntry"},{"__typename":"LogEntry","kind":"LogEntry"}]`,
		`{ logs(project: "p") { metadata } }`:                                                         `[{"metadata":[{"x": 1}]},{"metadata":null}]`,
		`{ logs(project: "p") { id @skip(if: true) timestamp } }`:                                     `[{"timestamp":"2026-11-20T10:00:00Z"},{"timestamp":"2026-11-20T10:00:01Z"}]`,
		`{ logs(project: "p") { id @include(if: false) } }`:                                           `[{},{}]`,
		`{ logs(project: "p") { ... { id } ... on LogEntry { m: eventMessage } } }`:                   `[{"id":"a","m":null},{"id":"b","m":"text"}]`,
		`{ logs(project: "p") { ...f id } } fragment f on LogEntry { m: eventMessage id }`:            `[{"m":null,"id":"a"},{"m":"text","id":"b"}]`,
		`{ logs(project: "p") { id } logs(project: "p") { m: eventMessage } }`:                        `[{"id":"a","m":null},{"id":"b","m":"text"}]`,
		`query($yes: Boolean = false) { logs(project: "p") { id @include(if: $yes) a: __typename } }`: `[{"a":"LogEntry"},{"a":"LogEntry"}]`,
	} {
		t.Run(document, func(t *testing.T) {
			t.Parallel()
			assert.Equal(t, `{"logs":`+want+`}`, dataOf(t, returningEach(shippedCatalog(t), rows), document))
		})
	}
}

// tokensOf returns the JSON tokens of a response's data, in their order.
func tokensOf(t *testing.T, response *graphql.Response) []json.Token {
	t.Helper()
	require.Empty(t, response.Errors)
	require.NotEmpty(t, response.Data)
	decoder := json.NewDecoder(bytes.NewReader(response.Data))
	var tokens []json.Token
	for {
		token, err := decoder.Token()
		if errors.Is(err, io.EOF) {
			return tokens
		}
		require.NoError(t, err)
		tokens = append(tokens, token)
	}
}

// rowOf generates rows of a query with arbitrary values of its columns' types.
func rowOf(query *sqlq.SavedQuery) *rapid.Generator[[]any] {
	return rapid.Custom(func(rt *rapid.T) []any {
		row := make([]any, len(query.Columns))
		for i, column := range query.Columns {
			if column.Nullable && rapid.IntRange(0, 3).Draw(rt, "null") == 0 {
				continue
			}
			row[i] = valueOf(rt, column)
		}
		return row
	})
}

func valueOf(rt *rapid.T, column sqlq.Column) any {
	switch column.Type {
	case sqlq.Timestamp, sqlq.Datetime:
		return now.Add(time.Duration(rapid.Int64Range(-1e17, 1e17).Draw(rt, "time")))
	case sqlq.Int64:
		return int64(rapid.Int32().Draw(rt, "integer"))
	case sqlq.Float64:
		return rapid.Float64().Draw(rt, "number")
	case sqlq.JSON:
		return json.RawMessage(rapid.SampledFrom([]string{`[]`, `[{"a":[{"b":"<&>\u00e9"}]}]`, `{"n":-0.0,"d":9007199254740992}`, `[{"t":true,"n":null}]`}).Draw(rt, "JSON"))
	default:
		return rapid.String().Draw(rt, "text")
	}
}

// documentGenerator generates random valid documents: no response key has two fields, and no
// fragment is empty, unused or contains itself.
type documentGenerator struct {
	rt        *rapid.T
	schema    *ast.Schema
	fragments []string
}

func (m *documentGenerator) document() string {
	var fields strings.Builder
	for i, root := range rapid.SliceOfN(rapid.SampledFrom([]string{"logs", "apiCounts", "invocationStats"}), 1, 3).Draw(m.rt, "roots") {
		arguments := `project: "p"`
		if root == "apiCounts" {
			arguments += `, interval: DAILY`
		}
		// Selections with the same key are merged.
		key := fmt.Sprintf("%s%d", root, rapid.IntRange(0, i).Draw(m.rt, "key"))
		object := m.schema.Types[m.schema.Query.Fields.ForName(root).Type.Name()]
		fmt.Fprintf(&fields, "%s: %s(%s)%s %s\n", key, root, arguments, m.condition(), m.selection(object, 3))
	}
	return "query($yes: Boolean = true, $no: Boolean!) {\n__typename @skip(if: $yes) @include(if: $no)\n" + fields.String() + "}\n" + strings.Join(m.fragments, "\n")
}

// selection generates the selection set of an object, nested to at most a depth.
func (m *documentGenerator) selection(object *ast.Definition, depth int) string {
	parts := make([]string, rapid.IntRange(1, 4).Draw(m.rt, "parts"))
	for i := range parts {
		kind := rapid.IntRange(0, 5).Draw(m.rt, "kind")
		switch {
		case kind == 0 && depth > 0:
			parts[i] = "..." + m.condition() + m.selection(object, depth-1)
		case kind == 1 && depth > 0:
			parts[i] = "... on " + object.Name + m.condition() + m.selection(object, depth-1)
		case kind == 2 && depth > 0:
			set := m.selection(object, depth-1)
			name := fmt.Sprintf("f%d", len(m.fragments))
			m.fragments = append(m.fragments, "fragment "+name+" on "+object.Name+set)
			parts[i] = "..." + name + m.condition()
		default:
			parts[i] = m.field(object)
		}
	}
	return " { " + strings.Join(parts, " ") + " }"
}

func (m *documentGenerator) field(object *ast.Definition) string {
	names := []string{"__typename"}
	for _, field := range object.Fields {
		names = append(names, field.Name)
	}
	name := rapid.SampledFrom(names).Draw(m.rt, "field")
	if rapid.Bool().Draw(m.rt, "alias") {
		return fmt.Sprintf("a%d_%s: %s%s", rapid.IntRange(0, 1).Draw(m.rt, "number"), name, name, m.condition())
	}
	return name + m.condition()
}

// condition generates a directive, or none.
func (m *documentGenerator) condition() string {
	return rapid.SampledFrom([]string{
		"", "", "", "", " @skip(if: $yes)", " @skip(if: false)", " @include(if: $no)", " @include(if: true)", " @skip(if: $no) @include(if: $yes)",
	}).Draw(m.rt, "condition")
}

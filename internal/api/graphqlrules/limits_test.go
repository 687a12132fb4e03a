package graphqlrules

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"savedq/graph/graphtest"
	"savedq/sqlq"
)

// small returns limits that the rejected documents exceed by one.
func small() Limits {
	return Limits{Tokens: 100, Selections: 12, Depth: 3, RootFields: 2, Aliases: 2, Complexity: 4010}
}

// A document that reaches a limit is accepted. One that exceeds it is rejected, with the
// limit and the count.
func TestLimits(t *testing.T) {
	t.Parallel()
	const logs = `logs(project: "p")`
	for name, test := range map[string]struct {
		allowed, rejected, message string
	}{
		"tokens": {
			`{ endpoint(name: "p") { name @skip(if: false) @include(if: true) } }` + strings.Repeat("#\n", 100-25), `{ endpoint(name: "p") { name @skip(if: false) @include(if: true) } }` + strings.Repeat("#\n", 100-24),
			"the query has more than 100 tokens",
		},
		"selections": {
			`{ endpoints { ` + strings.Repeat("name ", 11) + `} }`, `{ endpoints { ` + strings.Repeat("name ", 12) + `} }`,
			"the document selects 13 fields, counting the fields of a fragment at each use; at most 12 are allowed",
		},
		"selections of fragments": {
			`{ endpoints { ...f ...f name } } fragment f on QueryEndpoint { name id }`, `{ endpoints { ...f ...f name ...f } } fragment f on QueryEndpoint { name id }`,
			"the document selects 13 fields, counting the fields of a fragment at each use; at most 12 are allowed",
		},
		"selections of inline fragments": {
			`{ endpoints { ` + strings.Repeat("... { ", 10) + "name" + strings.Repeat("}", 12), `{ endpoints { ` + strings.Repeat("... { ", 11) + "name" + strings.Repeat("}", 13),
			"the document selects 13 fields, counting the fields of a fragment at each use; at most 12 are allowed",
		},
		"depth": {
			`{ endpoints { columns { name } } }`, `{ endpoints { columns { name { name } } } }`,
			"the operation has 4 levels of fields; at most 3 are allowed",
		},
		"depth in a fragment": {
			`{ ...f } fragment f on Query { endpoints { columns { name } } }`, `{ endpoints { ...f } } fragment f on QueryEndpoint { columns { name { name } } }`,
			"the operation has 4 levels of fields; at most 3 are allowed",
		},
		"root fields": {
			`{ __typename endpoints { name } }`, `{ __typename endpoints { name } __typename }`,
			"the operation has 3 root fields; at most 2 are allowed",
		},
		"root fields in fragments, skipped": {
			`{ ...f } fragment f on Query { __typename ... { __typename } }`, `{ ...f ...f } fragment f on Query { __typename ... @skip(if: true) { __typename } }`,
			"the operation has 4 root fields; at most 2 are allowed",
		},
		"root fields of an operation that is not run": {
			`query A { __typename __typename } query B { __typename }`, `query A { __typename } query B { __typename __typename __typename }`,
			"the operation has 3 root fields; at most 2 are allowed",
		},
		"aliases": {
			`{ a: endpoints { b: name name: name } }`, `{ a: endpoints { b: name c: id } }`,
			"the operation has 3 aliases; at most 2 are allowed",
		},
		"complexity": {
			`{ ` + logs + ` { id timestamp eventMessage metadata } }`, `{ ` + logs + ` { id timestamp eventMessage metadata } a: ` + logs + ` { id } }`,
			"the operation has 5002 points of complexity (rows times fields); at most 4010 are allowed",
		},
		"complexity in a fragment": {
			`{ ` + logs + ` { ...f ...f } endpoints { name id } } fragment f on LogEntry { id timestamp }`, `{ ` + logs + ` { ...f ...f __typename } } fragment f on LogEntry { id timestamp }`,
			"the operation has 5001 points of complexity (rows times fields); at most 4010 are allowed",
		},
		"a fragment that contains itself": {
			`{ endpoints { ...f } } fragment f on QueryEndpoint { name }`, `{ endpoints { ...f } } fragment f on QueryEndpoint { ...g } fragment g on QueryEndpoint { name ...f }`,
			"the fragment f contains itself",
		},
		"aliases of introspection": {
			`{ a: __type(name: "Time") { name } }`, `{ __type(name: "Time") { a: name } }`,
			"the operation has 1 aliases under __schema or __type; at most 0 are allowed",
		},
		"schemas": {
			`{ __schema { description } }`, `{ __schema { description } __schema { description } }`,
			"the operation has 2 __schema fields; at most 1 are allowed",
		},
		"a long name": {
			`{ __typename }`, `{ endpoints { ` + strings.Repeat("n", 257) + ` } }`,
			"the document has 257 bytes in one name; at most 256 are allowed",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			documents := NewDocuments(graphtest.ShippedSchema(t), small())
			document, errs := documents.Read(test.allowed)
			require.Empty(t, errs)
			assert.NotNil(t, document)
			_, errs = documents.Read(test.rejected)
			require.Len(t, errs, 1)
			failure := sqlq.AsError(errs[0])
			assert.Equal(t, test.message, failure.Message)
			assert.Equal(t, sqlq.InvalidArgument, failure.Code)
		})
	}
}

// Introspection may nest as deep as tools do, and not much deeper.
func TestDepthOfIntrospection(t *testing.T) {
	t.Parallel()
	document := func(depth int) string {
		return `{ __type(name: "Time") ` + strings.Repeat("{ ofType ", depth-1) + "{ name }" + strings.Repeat(" }", depth)
	}
	documents := NewDocuments(graphtest.ShippedSchema(t), DefaultLimits())
	_, errs := documents.Read(document(20))
	assert.Empty(t, errs)
	_, errs = documents.Read(document(21))
	require.Len(t, errs, 1)
	assert.Equal(t, "the operation has 21 levels of fields under __schema or __type; at most 20 are allowed", sqlq.AsError(errs[0]).Message)
}

// Fragments that double each other forty times are counted in linear time.
func TestSizesThatOverflow(t *testing.T) {
	t.Parallel()
	var document strings.Builder
	document.WriteString("{ ...f0 } ")
	for i := range 40 {
		fmt.Fprintf(&document, "fragment f%d on Query { ...f%d ...f%d } ", i, i+1, i+1)
	}
	document.WriteString("fragment f40 on Query { __typename }")
	_, errs := NewDocuments(graphtest.ShippedSchema(t), DefaultLimits()).Read(document.String())
	require.Len(t, errs, 1)
	assert.Equal(t, "the document selects more than 1073741824 fields, counting the fields of a fragment at each use; at most 1000 are allowed", sqlq.AsError(errs[0]).Message)
}

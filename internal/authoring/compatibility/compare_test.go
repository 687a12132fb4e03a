package compatibility_test

import (
	"regexp"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"savedq/graph"
	"savedq/internal/authoring/compatibility"
	"savedq/sqlq/catalog"
	"savedq/sqlq/duckdb/duckdbsql"
)

const base = `id: 00000000-0000-4000-8000-000000000001
name: my.query
aliases: [old-name]
description: Rows.
max_rows: 100
params:
  - {name: project, type: STRING, required: true, scope: project, description: P.}
  - {name: kind, type: STRING, allowed: [a, b, c-d], fallback: a, default: b, description: K.}
  - {name: text, type: STRING, max_length: 20, pattern: "x.*", description: T.}
  - {name: number, type: INT64, min: 1, max: 10, default: 5, description: N.}
  - {name: ids, type: ARRAY<STRING>, max_items: 5, default: [x], description: I.}
  - {name: since, type: TIMESTAMP, default: now-7d, description: S.}
columns:
  - {name: at, type: TIMESTAMP, nullable: false, description: A.}
  - {name: total, type: INT64, description: T.}
  - name: nested
    type: ARRAY<STRUCT>
    description: N.
    fields:
      - {name: a, type: STRING, nullable: false, description: A.}
      - {name: b, type: STRING, description: B.}
`

// endpoints returns those of a folder with query.yaml, and a shipped one.
func endpoints(t *testing.T, yaml string) []compatibility.Endpoint {
	t.Helper()
	params, _, _ := strings.Cut(yaml, "columns:\n")
	var uses []string
	for _, param := range regexp.MustCompile(`(?m)^  - \{name: (\w+)`).FindAllStringSubmatch(params, -1) {
		uses = append(uses, "$"+param[1])
	}
	omitted := slices.DeleteFunc(catalog.ShippedNames(), func(name string) bool { return name == "logs.all" })
	read, err := graph.ReadCatalogWith(catalog.Options{Omitted: omitted}, duckdbsql.Dialect{}, catalog.Directory{FS: fstest.MapFS{
		"mine/query.yaml": {Data: []byte(yaml)}, "mine/duckdb.sql": {Data: []byte("SELECT " + strings.Join(uses, ", "))},
	}, Path: "my"})
	require.NoError(t, err)
	var list []compatibility.Endpoint
	for _, query := range read.Queries() {
		list = append(list, compatibility.EndpointOf(query))
	}
	return list
}

// Each change that breaks a caller is listed, with its place; additions and loosened limits pass.
func TestCompare(t *testing.T) {
	t.Parallel()
	const id = "00000000-0000-4000-8000-000000000001"
	before := endpoints(t, base)
	for name, test := range map[string]struct {
		// changes are pairs of a text and its replacement.
		changes          []string
		breaks, addition string
	}{
		"nothing":    {nil, "", ""},
		"only texts": {[]string{"description: Rows.", "description: Other rows.\ncache: 60s"}, "", ""},
		"removed": {
			[]string{id, "00000000-0000-4000-8000-000000000002", "my.query", "your.query", "[old-name]", "[other]"},
			"before: saved query my.query (id " + id + ") is removed: its callers break", "my/mine/query.yaml:2:7: saved query your.query",
		},
		"id":               {[]string{id, "00000000-0000-4000-8000-000000000002"}, "my/mine/query.yaml:2:7: id was " + id + " and is 00000000-0000-4000-8000-000000000002: callers by id break; keep the id, or add it to aliases", ""},
		"id with alias":    {[]string{id, "00000000-0000-4000-8000-000000000002", "[old-name]", "[old-name, " + id + "]"}, "", ""},
		"name":             {[]string{"name: my.query", "name: my-query"}, "my/mine/query.yaml:2:7: name was my.query and is my-query: callers by name break; keep the name, or add it to aliases", ""},
		"name with alias":  {[]string{"name: my.query", "name: my-query", "[old-name]", "[old-name, my.query]"}, "", ""},
		"alias":            {[]string{"aliases: [old-name]\n", ""}, "my/mine/query.yaml:2:7: alias old-name is removed: callers that use it break", ""},
		"field":            {[]string{"description: Rows.", "description: Rows.\ngraphql: {field: mine}"}, "my/mine/query.yaml:2:7: GraphQL field was myQuery and is mine: GraphQL documents that name it break", ""},
		"type of the rows": {[]string{"description: Rows.", "description: Rows.\ngraphql: {type: Mine}"}, "my/mine/query.yaml:2:7: GraphQL type of the rows was MyQueryRow and is Mine: GraphQL documents that name it break\nmy/mine/query.yaml:17:5: GraphQL type of column \"nested\" was MyQueryRowNested and is MineNested: GraphQL documents that name it break", ""},
		"max_rows":         {[]string{"max_rows: 100", "max_rows: 99"}, "my/mine/query.yaml:2:7: max_rows was 100 and is 99: callers with more rows lose some", ""},
		"more rows":        {[]string{"max_rows: 100", "max_rows: 101"}, "", ""},

		"column removed":  {[]string{"  - {name: total, type: INT64, description: T.}\n", ""}, `my/mine/query.yaml:2:7: column "total" is removed: callers that read it break`, ""},
		"column renamed":  {[]string{"name: total", "name: sum"}, `my/mine/query.yaml:2:7: column "total" is removed: callers that read it break`, `my/mine/query.yaml:15:6: column "sum"`},
		"column retyped":  {[]string{"total, type: INT64", "total, type: STRING"}, `my/mine/query.yaml:15:6: column "total" was INT64 and is STRING: callers that read it break`, ""},
		"more digits":     {[]string{"total, type: INT64", "total, type: BIGNUMERIC"}, `my/mine/query.yaml:15:6: column "total" was INT64 and is BIGNUMERIC: callers that read it break`, ""},
		"column nullable": {[]string{"TIMESTAMP, nullable: false", "TIMESTAMP"}, `my/mine/query.yaml:14:6: column "at" was never null and is nullable: callers that do not expect null break`, ""},
		"column non-null": {[]string{"total, type: INT64", "total, type: INT64, nullable: false"}, "", ""},
		"column scalar":   {[]string{"INT64, description: T.", "INT64, description: T., graphql: {type: Int}"}, `my/mine/query.yaml:15:6: GraphQL type of column "total" was Int64 and is Int: GraphQL documents that name it break`, ""},
		"column field":    {[]string{"INT64, description: T.", "INT64, description: T., graphql: {field: sum}"}, `my/mine/query.yaml:15:6: GraphQL field of column "total" was total and is sum: GraphQL documents that name it break`, ""},
		"columns reordered": {[]string{
			"  - {name: at, type: TIMESTAMP, nullable: false, description: A.}\n  - {name: total, type: INT64, description: T.}\n",
			"  - {name: total, type: INT64, description: T.}\n  - {name: at, type: TIMESTAMP, nullable: false, description: A.}\n",
		}, "", ""},
		"column added":    {[]string{"columns:\n", "columns:\n  - {name: more, type: INT64, description: M.}\n"}, "", `my/mine/query.yaml:14:6: column "more"`},
		"array to struct": {[]string{"ARRAY<STRUCT>", "STRUCT"}, `my/mine/query.yaml:16:5: column "nested" was ARRAY<STRUCT> and is STRUCT: callers that read it break`, ""},
		"field removed":   {[]string{"      - {name: b, type: STRING, description: B.}\n", ""}, `my/mine/query.yaml:16:5: field "nested.b" is removed: callers that read it break`, ""},
		"field retyped":   {[]string{"b, type: STRING", "b, type: DATE"}, `my/mine/query.yaml:21:10: field "nested.b" was STRING and is DATE: callers that read it break`, ""},
		"field nullable":  {[]string{"STRING, nullable: false", "STRING"}, `my/mine/query.yaml:20:10: field "nested.a" was never null and is nullable: callers that do not expect null break`, ""},
		"field added":     {[]string{"    fields:\n", "    fields:\n      - {name: c, type: INT64, description: C.}\n"}, "", `my/mine/query.yaml:20:10: field "nested.c"`},

		"parameter removed":  {[]string{"  - {name: text, type: STRING, max_length: 20, pattern: \"x.*\", description: T.}\n", ""}, `my/mine/query.yaml:2:7: parameter "text" is removed: GraphQL callers that give it break, and REST ignores it`, ""},
		"parameter retyped":  {[]string{"number, type: INT64", "number, type: FLOAT64"}, `my/mine/query.yaml:10:12: parameter "number": type was INT64 and is FLOAT64: callers that give it break`, ""},
		"parameter added":    {[]string{"params:\n", "params:\n  - {name: more, type: STRING, description: M.}\n"}, "", `my/mine/query.yaml:7:12: parameter "more"`},
		"required added":     {[]string{"params:\n", "params:\n  - {name: more, type: STRING, required: true, description: M.}\n"}, `my/mine/query.yaml:7:12: parameter "more" is new and required: callers that do not give it break`, ""},
		"newly required":     {[]string{"INT64, min: 1, max: 10, default: 5", "INT64, min: 1, max: 10, required: true"}, `my/mine/query.yaml:10:12: parameter "number": was optional and is required: callers that leave it out break`, ""},
		"no longer required": {[]string{"STRING, required: true", "STRING"}, "", ""},
		"default":            {[]string{"default: 5", "default: 6"}, `my/mine/query.yaml:10:12: parameter "number": default was 5 and is 6: callers that leave it out get other rows`, ""},
		"no default":         {[]string{", default: [x]", ""}, `my/mine/query.yaml:11:12: parameter "ids": default was x and is none: callers that leave it out get other rows`, ""},
		"relative default":   {[]string{"now-7d", "now-1d"}, `my/mine/query.yaml:12:12: parameter "since": default was now-7d and is now-1d: callers that leave it out get other rows`, ""},
		"value removed":      {[]string{"[a, b, c-d]", "[a, b]"}, `my/mine/query.yaml:8:12: parameter "kind": allowed value "c-d" is removed: callers that give it break`, ""},
		"value added":        {[]string{"[a, b, c-d]", "[a, b, c-d, e]"}, "", `my/mine/query.yaml:8:12: allowed value "e" of parameter "kind"`},
		"enum to string":     {[]string{"[a, b, c-d]", `[a, b, c-d, "1"]`}, `my/mine/query.yaml:8:12: GraphQL type of parameter "kind" was MyQueryKind and is String: GraphQL documents that name it break`, `my/mine/query.yaml:8:12: allowed value "1" of parameter "kind"`},
		"value renamed":      {[]string{"description: K.", "description: K., graphql: {values: [{value: c-d, name: CD}]}"}, `my/mine/query.yaml:8:105: GraphQL value of "c-d" of parameter "kind" was C_D and is CD: GraphQL documents that name it break`, ""},
		"enum renamed":       {[]string{"description: K.", "description: K., graphql: {type: Kind}"}, `my/mine/query.yaml:8:105: GraphQL type of parameter "kind" was MyQueryKind and is Kind: GraphQL documents that name it break`, ""},
		"argument":           {[]string{"description: K.", "description: K., graphql: {argument: sort}"}, `my/mine/query.yaml:8:105: GraphQL argument of parameter "kind" was kind and is sort: GraphQL documents that name it break`, ""},
		"no fallback":        {[]string{", fallback: a", ""}, `my/mine/query.yaml:8:12: parameter "kind": fallback a is removed: values that allowed does not list are rejected`, ""},
		"fallback":           {[]string{"fallback: a", "fallback: b"}, `my/mine/query.yaml:8:12: parameter "kind": fallback was a and is b: values that allowed does not list give other rows`, ""},
		"allowed":            {[]string{"now-7d", "now-7d", "max_length: 20, pattern: \"x.*\"", "max_length: 20, pattern: \"x.*\", allowed: [x, \"x 1\"]"}, "my/mine/query.yaml:9:12: GraphQL type of parameter \"text\" was String and is MyQueryText: GraphQL documents that name it break\nmy/mine/query.yaml:9:12: parameter \"text\": any value was allowed, and only x, x 1 are: other values are rejected", ""},
		"pattern":            {[]string{"x.*", "x+"}, `my/mine/query.yaml:9:12: parameter "text": pattern was x.* and is x+: values that matched before may not match`, ""},
		"no pattern":         {[]string{", pattern: \"x.*\"", ""}, "", ""},
		"format":             {[]string{"max_length: 20", "max_length: 20, format: regex"}, `my/mine/query.yaml:9:12: parameter "text": format was none and is regex: values have another meaning`, ""},
		"max_length":         {[]string{"max_length: 20", "max_length: 19"}, `my/mine/query.yaml:9:12: parameter "text": max_length was 20 and is 19: longer values are rejected`, ""},
		"longer":             {[]string{"max_length: 20", "max_length: 21"}, "", ""},
		"max_items":          {[]string{"max_items: 5", "max_items: 4"}, `my/mine/query.yaml:11:12: parameter "ids": max_items was 5 and is 4: longer lists are rejected`, ""},
		"min":                {[]string{"min: 1,", "min: 2,"}, `my/mine/query.yaml:10:12: parameter "number": min was 1 and is 2: smaller values are rejected`, ""},
		"max":                {[]string{"max: 10", "max: 9"}, `my/mine/query.yaml:10:12: parameter "number": max was 10 and is 9: greater values are rejected`, ""},
		"wider":              {[]string{"min: 1, max: 10", "max: 11"}, "", ""},
		"scope":              {[]string{", scope: project", ""}, `my/mine/query.yaml:7:12: parameter "project": scope was project and is none: limited tokens lose access`, ""},
		"scope of tiers":     {[]string{"type: STRING, allowed", "type: STRING, scope: tier, allowed"}, `my/mine/query.yaml:8:12: parameter "kind": scope was none and is tier: limited tokens lose access`, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			after := base
			for i := 0; i < len(test.changes); i += 2 {
				require.Contains(t, after, test.changes[i])
				after = strings.Replace(after, test.changes[i], test.changes[i+1], 1)
			}
			changes := compatibility.Compare(before, endpoints(t, after), "before")
			breaks := changes.Breaking.Error()
			if strings.HasPrefix(name, "name") { // the names in the schema derive from it
				breaks = strings.Split(breaks, "\n")[0]
				if strings.Contains(breaks, "GraphQL") {
					breaks = ""
				}
			}
			assert.Equal(t, test.breaks, breaks)
			assert.Equal(t, test.addition, changes.Additions.Error())
		})
	}
}

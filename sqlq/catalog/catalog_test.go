package catalog_test

import (
	"slices"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"savedq/sqlq"
	"savedq/sqlq/catalog"
	"savedq/sqlq/duckdb/duckdbsql"
	"savedq/sqlq/tables"
)

// D21 and part 8 of the specification: ids and settings, constant for ever.
func TestShipped(t *testing.T) {
	t.Parallel()
	catalog, err := catalog.Read(duckdbsql.Dialect{})
	require.NoError(t, err)
	tests := map[string]struct {
		id          string
		cache, warm time.Duration
		params      string
		columns     string
	}{
		"functions.invocation-stats": {
			"2f2c0f2e-6b0e-4c39-9d0e-2a4c5d6f7a10", 900 * time.Second, 300 * time.Second,
			"project function_id interval",
			"timestamp min_execution_time max_execution_time avg_execution_time p95_execution_time p99_execution_time count error_count",
		},
		"usage.api-counts": {
			"7c1a4e58-3d3b-4f0b-8a65-9b1f0c2d3e21", 900 * time.Second, 300 * time.Second,
			"project interval",
			"timestamp total_rest_requests total_storage_requests total_auth_requests total_realtime_requests",
		},
		"logs.all": { // D25: neither cached nor warmed
			"c4d5e6f7-1a2b-4c3d-8e9f-0a1b2c3d4e32", 0, 0,
			"project project_tier iso_timestamp_start iso_timestamp_end",
			"id timestamp event_message metadata",
		},
		"functions.list": {
			"9b0c8a5e-2f4d-4c7b-8e61-3d5a7f9b1c43", 900 * time.Second, 300 * time.Second,
			"project iso_timestamp_start iso_timestamp_end",
			"function_id invocations errors p95_execution_time last_seen",
		},
		"projects.list": {
			"e6d1f3a2-5b7c-4d8e-9f10-1a2b3c4d5e54", 900 * time.Second, 300 * time.Second,
			"projects iso_timestamp_start iso_timestamp_end",
			"project last_seen events",
		},
		"logs.search": {
			"3d9e7b14-8c52-4f06-a7d1-5e2b9c40f865", 0, 0,
			"project project_tier source text status method path_prefix filters iso_timestamp_start iso_timestamp_end before_timestamp before_id limit",
			"id event_id timestamp source event_message status method path level metadata",
		},
		"logs.histogram": {
			"81c5f2d7-6a3e-4b90-9f48-c07d1e5b2a96", 0, 0,
			"project project_tier source text status method path_prefix filters iso_timestamp_start iso_timestamp_end bucket_seconds",
			"timestamp count errors warnings",
		},
		"logs.facets": {
			"f6a90e3b-1d74-4c28-8b5f-2e97d604c1b8", 0, 0,
			"project project_tier source text status method path_prefix filters iso_timestamp_start iso_timestamp_end",
			"facet value count",
		},
	}
	assert.Len(t, catalog.Queries(), len(tests))
	for name, want := range tests {
		query, ok := catalog.Find(name)
		require.True(t, ok, name)
		assert.Equal(t, name, query.Name)
		assert.Equal(t, want.id, query.ID.String())
		assert.Equal(t, 1000, query.MaxRows)
		assert.Equal(t, want.cache, query.Cache)
		assert.Equal(t, want.warm, query.Warm)
		assert.False(t, query.Sandboxed)
		var params, columns []string
		for _, param := range query.Params {
			params = append(params, param.Name)
		}
		for _, column := range query.Columns {
			columns = append(columns, column.Name)
		}
		assert.Equal(t, want.params, strings.Join(params, " "))
		assert.Equal(t, want.columns, strings.Join(columns, " "))

		byID, ok := catalog.Find(strings.ToUpper(want.id)) // D16: in any letter case
		require.True(t, ok)
		assert.Same(t, query, byID)
	}
}

func TestFindAcceptsNoOtherSpelling(t *testing.T) {
	t.Parallel()
	catalog, err := catalog.Read(duckdbsql.Dialect{})
	require.NoError(t, err)
	for _, name := range []string{
		"", "logs", "LOGS.ALL", "logs.all ", "urn:uuid:c4d5e6f7-1a2b-4c3d-8e9f-0a1b2c3d4e32",
		"{c4d5e6f7-1a2b-4c3d-8e9f-0a1b2c3d4e32}", "c4d5e6f71a2b4c3d8e9f0a1b2c3d4e32", uuid.Nil.String(),
	} {
		_, ok := catalog.Find(name)
		assert.False(t, ok, name)
	}
}

// A saved query is found under its aliases too: names as they are written, UUIDs in any
// letter case (D16).
func TestFindByAlias(t *testing.T) {
	t.Parallel()
	yaml := strings.Replace(goodYAML, "max_rows: 10", "aliases: [Old_Errors, 8F14E45F-ceea-467f-9b2d-1a2b3c4d5e6f, 7]", 1)
	catalog, err := readMine(folder(yaml, goodSQL))
	require.NoError(t, err)
	query, ok := catalog.Find("logs.errors")
	require.True(t, ok)
	assert.Equal(t, []string{"Old_Errors", "8f14e45f-ceea-467f-9b2d-1a2b3c4d5e6f", "7"}, query.Aliases)
	for _, alias := range []string{"Old_Errors", "8f14e45f-ceea-467f-9b2d-1a2b3c4d5e6f", "8F14E45F-CEEA-467F-9B2D-1A2B3C4D5E6F", "7"} {
		found, ok := catalog.Find(alias)
		assert.True(t, ok, alias)
		assert.Same(t, query, found, alias)
	}
	_, ok = catalog.Find("old_errors")
	assert.False(t, ok, "names are case-sensitive")
}

// Two folders that claim one alias are a mistake that names both places.
func TestAliasesOfTwoFoldersCollide(t *testing.T) {
	t.Parallel()
	first := strings.Replace(goodYAML, "max_rows: 10", "aliases: [old]", 1)
	second := strings.NewReplacer("0b7f3a52", "1b7f3a52", "logs.errors", "logs.other").Replace(first)
	files := folder(first, goodSQL)
	files["other/query.yaml"], files["other/duckdb.sql"] = &fstest.MapFile{Data: []byte(second)}, files["errors/duckdb.sql"]
	_, err := readMine(files)
	require.EqualError(t, err, `mine/other/query.yaml:4:11: alias "old" is already taken by mine/errors/query.yaml:4:11`)
}

// A tool has the name of its saved query as clients accept it, and no two tools have the same.
func TestTools(t *testing.T) {
	t.Parallel()
	read := func(first, second, further string) (*catalog.Catalog, error) {
		files := folder(strings.Replace(goodYAML, "logs.errors", first, 1), goodSQL)
		other := strings.NewReplacer("0b7f3a52", "1b7f3a52", "logs.errors", second, "max_rows: 10", further).Replace(goodYAML)
		files["other/query.yaml"], files["other/duckdb.sql"] = &fstest.MapFile{Data: []byte(other)}, files["errors/duckdb.sql"]
		return readMine(files)
	}
	long := strings.Repeat("a", 65)
	found, err := read("my.errors-by_day", long, "tool: enabled")
	require.NoError(t, err)
	toolOf := func(name string) string {
		query, known := found.Find(name)
		require.True(t, known)
		return query.Tool
	}
	assert.Equal(t, "my_errors-by_day", toolOf("my.errors-by_day"))
	assert.Equal(t, "_1b7f3a52-5d0e-4f6c-9a41-6a2f0f3c9d11", toolOf(long), "the id of a name that is too long")
	found, err = read("2fa.logins", "explore", "tool: enabled")
	require.NoError(t, err)
	assert.Equal(t, "_2fa_logins", toolOf("2fa.logins"), "some clients take no digit at the start")
	assert.Equal(t, "_1b7f3a52-5d0e-4f6c-9a41-6a2f0f3c9d11", toolOf("explore"), "a name of another tool")
	_, err = read("describe.tool", "describe_tool", "tool: enabled")
	require.NoError(t, err)
	_, err = read("my.errors", "my_errors", "max_rows: 10")
	require.EqualError(t, err, `mine/other/query.yaml:2:7: its tool would be named my_errors, like the tool of mine/errors/query.yaml:2:7; rename one of them, or write "tool: disabled"`)
	found, err = read("my.errors", "my_errors", "tool: disabled")
	require.NoError(t, err)
	assert.Equal(t, "my_errors", toolOf("my.errors"))
	assert.Empty(t, toolOf("my_errors"))
}

const goodYAML = `id: 0b7f3a52-5d0e-4f6c-9a41-6a2f0f3c9d11
name: logs.errors
description: Errors of a project.
max_rows: 10
cache: 1m
warm: 20s
params:
  - {name: project, type: STRING, required: true, description: Project.}
  - {name: most, type: INT64, default: 5, allowed: [5, 10], fallback: 10, description: Most rows.}
columns:
  - {name: n, type: INT64, nullable: false, description: Number.}
`

const goodSQL = "SELECT count(*) AS n FROM edge_logs WHERE project = $project LIMIT $most;\n"

func folder(yaml, sql string) fstest.MapFS {
	return fstest.MapFS{
		"README.md":           {Data: []byte("not a saved query")},
		".git/config":         {Data: []byte("not a saved query either")},
		"errors/query.yaml":   {Data: []byte(yaml)},
		"errors/duckdb.sql":   {Data: []byte(sql)},
		"errors/bigquery.sql": {Data: []byte("SELECT 1")},
	}
}

// readMine reads folders beside logs.all. The other shipped saved queries take longer to read than most tests.
func readMine(files fstest.MapFS) (*catalog.Catalog, error) {
	omitted := slices.DeleteFunc(catalog.ShippedNames(), func(name string) bool { return name == "logs.all" })
	return catalog.ReadWith(catalog.Options{Omitted: omitted}, duckdbsql.Dialect{}, catalog.Directory{FS: files, Path: "mine"})
}

func TestReadAddsFolders(t *testing.T) {
	t.Parallel()
	catalog, err := catalog.Read(duckdbsql.Dialect{}, catalog.Directory{FS: folder(goodYAML, goodSQL), Path: "mine"})
	require.NoError(t, err)
	assert.Len(t, catalog.Queries(), 9)
	query, ok := catalog.Find("logs.errors")
	require.True(t, ok)
	ten := "10"
	edge, _ := tables.Shipped().Find("edge_logs")
	at := func(line, column int) sqlq.Place {
		return sqlq.Place{File: "mine/errors/query.yaml", Line: line, Column: column}
	}
	assert.Equal(t, &sqlq.SavedQuery{
		ID:          uuid.MustParse("0b7f3a52-5d0e-4f6c-9a41-6a2f0f3c9d11"),
		Name:        "logs.errors",
		Tool:        "logs_errors",
		Description: "Errors of a project.",
		MaxRows:     10,
		Cache:       time.Minute,
		Warm:        20 * time.Second,
		Params: []sqlq.Param{
			{Name: "project", Type: sqlq.String, Required: true, Description: "Project.", MaxLength: 256},
			{Name: "most", Type: sqlq.Int64, Default: []string{"5"}, Allowed: []string{"5", "10"}, Fallback: &ten, Description: "Most rows.", MaxLength: 256},
		},
		Columns: []sqlq.Column{{Name: "n", Type: sqlq.Int64, Description: "Number.", Place: at(11, 6)}},
		Tables:  sqlq.Tables{edge},
		Engine:  "duckdb",
		SQL:     strings.TrimSuffix(goodSQL, ";\n"),
		SQLFile: "mine/errors/duckdb.sql",
		Place:   sqlq.Place{File: "mine/errors/query.yaml", Line: 2, Column: 7},
	}, query)
}

// A pattern holds for whole values, and is not compiled for each of them.
func TestReadCompilesPatterns(t *testing.T) { // It is not parallel, since it counts allocations.
	tests := map[string]struct{ pattern, text, message string }{
		"all":            {"'a|ab'", "ab", ""},
		"in part":        {"'a|ab'", "abc", `project: "abc" does not match the pattern a|ab`},
		"of lines":       {"'(?m)^a$'", "a\nb", `project: "a\nb" does not match the pattern (?m)^a$`},
		"with quote":     {`'\Qa)b'`, "a)b", ""},
		"with a message": {"'a|ab', pattern_message: use a or ab", "abc", `project: "abc" is not valid; use a or ab`},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			yaml := strings.Replace(goodYAML, "required: true", "pattern: "+test.pattern, 1)
			catalog, err := readMine(folder(yaml, goodSQL))
			require.NoError(t, err)
			query, ok := catalog.Find("logs.errors")
			require.True(t, ok)
			given := map[string][]string{"project": {test.text}}
			allocations := testing.AllocsPerRun(100, func() { _, err = query.Bind(given) })
			if test.message != "" {
				require.EqualError(t, err, test.message)
				return
			}
			require.NoError(t, err)
			assert.LessOrEqual(t, allocations, 5.0)
		})
	}
}

// Scopes say which parameters the limits of tokens apply to. A saved query without one for
// projects is worth a warning.
func TestReadScopes(t *testing.T) {
	t.Parallel()
	read := func(yaml string) *sqlq.SavedQuery {
		catalog, err := readMine(folder(yaml, goodSQL))
		require.NoError(t, err)
		query, ok := catalog.Find("logs.errors")
		require.True(t, ok)
		return query
	}
	query := read(goodYAML)
	assert.False(t, query.Shipped)
	assert.Equal(t, -1, query.Scoped(sqlq.ScopeProject))
	require.EqualError(t, query.Warnings(), "mine/errors/query.yaml:2:7: no parameter has scope: project, so tokens that are limited to projects cannot run logs.errors")
	query = read(strings.NewReplacer("required: true", "scope: project", "INT64, default: 5, allowed: [5, 10]", `STRING, scope: tier, default: "5", allowed: ["10", "5"]`).Replace(goodYAML))
	assert.Equal(t, 0, query.Scoped(sqlq.ScopeProject))
	assert.Equal(t, 1, query.Scoped(sqlq.ScopeTier))
	assert.Empty(t, query.Warnings())
	shipped, err := catalog.Read(duckdbsql.Dialect{})
	require.NoError(t, err)
	for _, query := range shipped.Queries() {
		want := "project"
		if query.Name == "projects.list" {
			want = "projects"
		}
		assert.True(t, query.Shipped, query.Name)
		assert.Empty(t, query.Warnings(), query.Name)
		assert.Equal(t, want, query.Params[query.Scoped(sqlq.ScopeProject)].Name, query.Name)
		assert.Equal(t, strings.HasPrefix(query.Name, "logs."), query.Scoped(sqlq.ScopeTier) >= 0, query.Name)
	}
}

// The limits and defaults of a parameter are shown beside its description.
func TestShippedDescriptionsRepeatNoRules(t *testing.T) {
	t.Parallel()
	shipped, err := catalog.Read(duckdbsql.Dialect{})
	require.NoError(t, err)
	for _, query := range shipped.Queries() {
		for _, param := range query.Params {
			assert.NotRegexp(t, `(?i)not be empty|at most \d|\d to \d|other value|by default`, param.Description, "%s of %s", param.Name, query.Name)
		}
	}
}

// Every mistake in a folder, with file, line and column.
func TestReadReportsMistakes(t *testing.T) {
	t.Parallel()
	change := func(from, to string) string {
		require.Contains(t, goodYAML, from)
		return strings.Replace(goodYAML, from, to, 1)
	}
	withoutColumns, _, _ := strings.Cut(goodYAML, "columns")
	tests := map[string]struct{ yaml, sql, want string }{
		"unknown key":                  {change("max_rows", "maxrows"), goodSQL, `mine/errors/query.yaml:4:1: unknown key "maxrows"; the keys are id, name, aliases, description, deprecated, max_rows, stream, cache, warm, sandbox, tool, graphql, params, columns, series, pages`},
		"key missing":                  {change("description: Errors of a project.\n", ""), goodSQL, `mine/errors/query.yaml:1:1: key "description" is missing`},
		"id is not a UUID":             {change("0b7f3a52-", "0b7f3a5-"), goodSQL, `mine/errors/query.yaml:1:5: id "0b7f3a5-5d0e-4f6c-9a41-6a2f0f3c9d11" is not a UUID such as `},
		"id taken":                     {change("0b7f3a52-5d0e-4f6c-9a41-6a2f0f3c9d11", "C4D5E6F7-1a2b-4c3d-8e9f-0a1b2c3d4e32"), goodSQL, `mine/errors/query.yaml:1:5: id c4d5e6f7-1a2b-4c3d-8e9f-0a1b2c3d4e32 is already taken by shipped queries/logs.all/query.yaml:1:5; to replace that saved query, leave it out with --omit-shipped logs.all`},
		"name taken":                   {change("logs.errors", "logs.all"), goodSQL, `mine/errors/query.yaml:2:7: name "logs.all" is already taken by shipped queries/logs.all/query.yaml:2:7; to replace that saved query, leave it out with --omit-shipped logs.all`},
		"name of odd letters":          {change("logs.errors", "Logs/Errors"), goodSQL, `mine/errors/query.yaml:2:7: name "Logs/Errors" is not a name of lower-case letters and digits`},
		"name that is a UUID":          {change("logs.errors", "c4d5e6f7-1a2b-4c3d-8e9f-0a1b2c3d4e99"), goodSQL, `mine/errors/query.yaml:2:7: name must not be a UUID`},
		"alias of another's name":      {change("max_rows: 10", "aliases: [old.errors, logs.all]"), goodSQL, `mine/errors/query.yaml:4:23: alias "logs.all" is already taken by shipped queries/logs.all/query.yaml:2:7; to replace that saved query, leave it out with --omit-shipped logs.all`},
		"alias of another's id":        {change("max_rows: 10", "aliases: [C4D5E6F7-1a2b-4c3d-8e9f-0a1b2c3d4e32]"), goodSQL, `mine/errors/query.yaml:4:11: alias "c4d5e6f7-1a2b-4c3d-8e9f-0a1b2c3d4e32" is already taken by shipped queries/logs.all/query.yaml:1:5; to replace that saved query, leave it out with --omit-shipped logs.all`},
		"too many rows":                {change("max_rows: 10", "max_rows: 100001"), goodSQL, `mine/errors/query.yaml:4:11: max_rows must be at most 100000, or 10000000 with "stream: true"`},
		"too many rows of a stream":    {change("max_rows: 10", "max_rows: 10000001\nstream: true"), goodSQL, `mine/errors/query.yaml:4:11: max_rows must be a whole number from 1 to 10000000`},
		"stream with a cache":          {change("max_rows: 10", "stream: true"), goodSQL, `mine/errors/query.yaml:5:8: cache cannot be combined with "stream: true"`},
		"stream with a sandbox":        {change("max_rows: 10", "stream: true\nsandbox: enabled"), goodSQL, `mine/errors/query.yaml:5:10: sandbox cannot be combined with "stream: true"`},
		"alias of its own name":        {change("max_rows: 10", "aliases: [logs.errors]"), goodSQL, `mine/errors/query.yaml:4:11: alias "logs.errors" is already taken by mine/errors/query.yaml:2:7`},
		"alias of its own id":          {change("max_rows: 10", "aliases: [0B7F3A52-5d0e-4f6c-9a41-6a2f0f3c9d11]"), goodSQL, `mine/errors/query.yaml:4:11: alias "0b7f3a52-5d0e-4f6c-9a41-6a2f0f3c9d11" is already taken by mine/errors/query.yaml:1:5`},
		"alias twice":                  {change("max_rows: 10", "aliases: [old, old]"), goodSQL, `mine/errors/query.yaml:4:16: alias "old" is already taken by mine/errors/query.yaml:4:11`},
		"alias with a slash":           {change("max_rows: 10", "aliases: [query/old]"), goodSQL, `mine/errors/query.yaml:4:11: alias "query/old" is neither a UUID nor a name of at most 128 bytes without slashes`},
		"alias of no digits":           {change("max_rows: 10", "aliases: [00000000-0000-0000-0000-000000000000]"), goodSQL, `mine/errors/query.yaml:4:11: alias "00000000-0000-0000-0000-000000000000" is neither a UUID nor a name`},
		"alias too long":               {change("max_rows: 10", "aliases: ["+strings.Repeat("a", 129)+"]"), goodSQL, `is neither a UUID nor a name`},
		"aliases without end":          {change("max_rows: 10", "aliases: ["+strings.Repeat("a, ", 101)+"]"), goodSQL, `mine/errors/query.yaml:4:10: aliases has 101 entries; a saved query can have 100`},
		"aliases is no list":           {change("max_rows: 10", "aliases: old"), goodSQL, `mine/errors/query.yaml:4:10: aliases must be a list`},
		"aliases is empty":             {change("max_rows: 10", "aliases: []"), goodSQL, `mine/errors/query.yaml:4:10: aliases must not be empty; leave it out instead`},
		"number for text":              {change("Errors of a project.", "7"), goodSQL, `mine/errors/query.yaml:3:14: description must be a string`},
		"max_rows too low":             {change("max_rows: 10", "max_rows: 0"), goodSQL, `mine/errors/query.yaml:4:11: max_rows must be a whole number from 1 to 100000`},
		"max_rows no number":           {change("max_rows: 10", "max_rows: ten"), goodSQL, `mine/errors/query.yaml:4:11: max_rows must be a whole number from 1 to 100000`},
		"cache without unit":           {change("cache: 1m", "cache: 900"), goodSQL, `mine/errors/query.yaml:5:8: cache must be disabled or a duration of whole seconds, such as 900s or 15m`},
		"cache of half a second":       {change("cache: 1m", "cache: 1500ms"), goodSQL, `mine/errors/query.yaml:5:8: cache must be disabled or a duration of whole seconds`},
		"warm longer than cache":       {change("warm: 20s", "warm: 1m"), goodSQL, `mine/errors/query.yaml:6:7: warm must be shorter than cache`},
		"warm without cache":           {change("cache: 1m", "cache: disabled"), goodSQL, `mine/errors/query.yaml:6:7: warm must be shorter than cache`},
		"sandbox on":                   {change("max_rows: 10", "sandbox: enabled"), goodSQL, `mine/errors/query.yaml:4:10: sandbox needs query.sql, because callers send GoogleSQL; this folder has duckdb.sql`},
		"logs without a project":       {change("max_rows: 10", "sandbox: logs"), goodSQL, `mine/errors/query.yaml:4:10: SQL over the table logs needs a parameter with scope: project, whose rows it reads`},
		"unknown sandbox":              {change("max_rows: 10", "sandbox: 'on'"), goodSQL, `mine/errors/query.yaml:4:10: sandbox "on" is unknown; use one of disabled, enabled, logs`},
		"unknown tool":                 {change("max_rows: 10", "tool: logs"), goodSQL, `mine/errors/query.yaml:4:7: tool "logs" is unknown; use one of enabled, disabled`},
		"unknown type":                 {change("type: INT64, default", "type: INT, default"), goodSQL, `mine/errors/query.yaml:9:24: type "INT" is unknown; use one of STRING, INT64, FLOAT64, NUMERIC, BOOL, TIMESTAMP`},
		"unknown key of a param":       {change("required: true", "requird: true"), goodSQL, `mine/errors/query.yaml:8:35: unknown key "requird"`},
		"required is not a boolean":    {change("required: true", "required: often"), goodSQL, `mine/errors/query.yaml:8:45: required must be true or false`},
		"required with a default":      {change("required: true", "required: true, default: acme"), goodSQL, `a required parameter cannot have a default`},
		"default not allowed":          {change("default: 5", "default: 7"), goodSQL, `mine/errors/query.yaml:9:40: default "7" is not among the allowed values`},
		"fallback without allowed":     {change("allowed: [5, 10], ", ""), goodSQL, `fallback needs allowed, because it replaces values that allowed does not list`},
		"allowed of another type":      {change("[5, 10]", "[5, 10, ten]"), goodSQL, `mine/errors/query.yaml:9:52: allowed: "ten" is not a whole number`},
		"allowed twice":                {change("[5, 10]", "[5, 10, 5]"), goodSQL, `mine/errors/query.yaml:9:60: "5" is allowed twice`},
		"allowed is empty":             {change("allowed: [5, 10], fallback: 10", "allowed: []"), goodSQL, `allowed must not be empty; leave it out instead`},
		"message without a pattern":    {change("required: true", "pattern_message: use a letter"), goodSQL, `mine/errors/query.yaml:8:52: pattern_message needs pattern, because it says what to do if a value does not match`},
		"empty pattern message":        {change("required: true", "pattern: a, pattern_message: ''"), goodSQL, "pattern_message"},
		"pattern message is a list":    {change("required: true", "pattern: a, pattern_message: [a]"), goodSQL, "pattern_message"},
		"default beside the message":   {change("required: true", "pattern: a, pattern_message: use a, default: b"), goodSQL, `default: "b" is not valid; use a`},
		"pattern does not compile":     {change("required: true", "pattern: '('"), goodSQL, `mine/errors/query.yaml:8:44: pattern does not compile`},
		"format of a number":           {change("default: 5", "format: regex, default: 5"), goodSQL, `format is for parameters of type STRING`},
		"param named now":              {change("name: most", "name: now"), strings.Replace(goodSQL, "$most", "$now", 1), `mine/errors/query.yaml:9:12: parameter "now" is set for every query and must not be declared`},
		"param twice":                  {change("name: most", "name: project"), strings.Replace(goodSQL, "$most", "5", 1), `mine/errors/query.yaml:9:12: parameter "project" is declared twice`},
		"param not used":               {goodYAML, "SELECT 1 AS n WHERE $project = ''", `mine/errors/query.yaml:9:12: parameter "most" is declared but duckdb.sql does not use $most`},
		"param not declared":           {goodYAML, goodSQL[:len(goodSQL)-2] + "\n  OFFSET $skip", `mine/errors/duckdb.sql:2:10: parameter $skip is not declared under params in query.yaml`},
		"param by position":            {goodYAML, goodSQL[:len(goodSQL)-2] + " OFFSET $1", `mine/errors/duckdb.sql:1:81: parameter $1 is not declared`},
		"second statement":             {goodYAML, goodSQL + "DROP TABLE edge_logs", `mine/errors/duckdb.sql:2:1: a saved query is one statement; a second one begins here`},
		"no SQL":                       {goodYAML, "-- to be written\n", `mine/errors/duckdb.sql:1:1: has no SQL`},
		"columns missing":              {withoutColumns, goodSQL, `mine/errors/query.yaml:1:1: key "columns" is missing`},
		"column twice":                 {goodYAML + "  - {name: n, type: JSON, description: Again.}\n", goodSQL, `mine/errors/query.yaml:12:12: column "n" is declared twice`},
		"columns is not a list":        {withoutColumns + "columns: n", goodSQL, `mine/errors/query.yaml:10:10: columns must be a list`},
		"scope unknown":                {change("required: true", "required: true, scope: projects"), goodSQL, `mine/errors/query.yaml:8:58: scope "projects" is unknown; use one of project, tier`},
		"scope is not a string":        {change("required: true", "required: true, scope: [project]"), goodSQL, `mine/errors/query.yaml:8:58: scope must be a string`},
		"scope twice":                  {strings.NewReplacer("required: true", "scope: project", "default: 5", "default: 5, scope: project").Replace(goodYAML), goodSQL, `mine/errors/query.yaml:9:50: scope project is already used by parameter "project"; use each scope once`},
		"scope of another type":        {change("type: STRING, required", "type: BOOL, scope: project, required"), goodSQL, `mine/errors/query.yaml:8:40: scope project is for parameters of type STRING, INT64 or ARRAY<STRING>`},
		"tier of another type":         {change("default: 5", "default: 5, scope: tier"), goodSQL, `mine/errors/query.yaml:9:50: scope tier is for parameters of type STRING`},
		"tier without order":           {change("required: true", "required: true, scope: tier"), goodSQL, `mine/errors/query.yaml:8:58: scope tier needs allowed, which lists the tiers, lowest first`},
		"not a mapping":                {"- a\n- b\n", goodSQL, `mine/errors/query.yaml:1:1: must be a mapping with the keys id, `},
		"too large":                    {strings.Repeat("[", 70_000), goodSQL, `mine/errors/query.yaml: is larger than 65536 bytes`},
		"param by question mark":       {goodYAML, goodSQL[:len(goodSQL)-2] + " OFFSET ?", `mine/errors/duckdb.sql:1:81: write parameters as $name, not as ?`},
		"second document":              {goodYAML + "---\nid: x\n", goodSQL, `a file holds one saved query; remove the second document`},
		"empty second document":        {goodYAML + "---", goodSQL, `mine/errors/query.yaml:12:1: a file holds one saved query; remove the second document`},
		"param of a column's type":     {change("type: STRING, required", "type: STRUCT, required"), goodSQL, `mine/errors/query.yaml:8:27: type STRUCT is for columns; a parameter has one of STRING, INT64, FLOAT64, NUMERIC, BOOL, TIMESTAMP, DATE, or an ARRAY of one`},
		"param of nested arrays":       {change("type: STRING, required", "type: ARRAY<ARRAY<STRING>>, required"), goodSQL, `type ARRAY<ARRAY<STRING>> is for columns; a parameter has one of`},
		"array of an unknown type":     {change("type: STRING, required", "type: ARRAY<TEXT>, required"), goodSQL, `mine/errors/query.yaml:8:27: type "ARRAY<TEXT>" is unknown; use one of STRING`},
		"array that is not closed":     {change("type: STRING, required", "type: 'ARRAY<', required"), goodSQL, `type "ARRAY<" is unknown; use one of STRING`},
		"scope of an INT64 array":      {change("type: STRING, required", "type: ARRAY<INT64>, scope: project, required"), goodSQL, `scope project is for parameters of type STRING, INT64 or ARRAY<STRING>`},
		"bound pattern of a text":      {change("type: STRING, required", "type: STRING, bound_pattern: '^{value}$', required"), goodSQL, `bound_pattern needs format: regex`},
		"bound pattern without value":  {change("type: STRING, required", "type: STRING, format: regex, bound_pattern: '^a$', required"), goodSQL, `bound_pattern must have {value} once, in place of the value of a token`},
		"bound pattern that is broken": {change("type: STRING, required", "type: STRING, format: regex, bound_pattern: '({value}', required"), goodSQL, "bound_pattern does not compile: error parsing regexp: missing closing ): `(a\\.c`"},
		"scope of expressions":         {change("type: STRING, required", "type: ARRAY<STRING>, scope: project, format: regex, required"), goodSQL, `scope project is not for an array of regular expressions; leave format out`},
		"tier of an array":             {change("type: STRING, required", "type: ARRAY<STRING>, scope: tier, required"), goodSQL, `scope tier is for parameters of type STRING`},
		"default of an array":          {change("type: STRING, required: true", "type: ARRAY<STRING>, default: a"), goodSQL, `default must be a list`},
		"list for a single value":      {change("required: true", "default: [a, b]"), goodSQL, `mine/errors/query.yaml:8:44: default must be a single value`},
		"too long a default":           {change("type: STRING, required: true", "type: ARRAY<STRING>, max_items: 1, default: [a, b]"), goodSQL, `default has 2 values, which is more than max_items, 1`},
		"max_items of no array":        {change("required: true", "max_items: 2"), goodSQL, `max_items is for parameters of an ARRAY type`},
		"max_items of none":            {change("type: STRING, required: true", "type: ARRAY<STRING>, max_items: 0"), goodSQL, `max_items must be a whole number from 1 to 10000`},
		"min of a text":                {change("required: true", "min: 1"), goodSQL, `min is for parameters of type INT64, FLOAT64, NUMERIC, TIMESTAMP or DATE`},
		"min of another type":          {change("[5, 10]", "[5, 10], min: ten"), goodSQL, `min: "ten" is not a whole number`},
		"max less than min":            {change("[5, 10]", "[5, 10], min: 5, max: 4"), goodSQL, `max 4 is less than min 5`},
		"default less than min":        {change("[5, 10]", "[5, 10], min: 6"), goodSQL, `default: "5" is less than the minimum, 6`},
		"relative default":             {change("type: STRING, required: true", "type: TIMESTAMP, default: now-7"), goodSQL, `default: "now-7" is not a time relative to now, such as now-7d`},
		"relative default and min":     {change("type: STRING, required: true", "type: DATE, default: now-7d, min: 2026-01-01"), goodSQL, `a default that is relative to now cannot be checked against min`},
		"relative default of text":     {change("type: STRING, required: true", "type: INT64, default: now"), goodSQL, `default: "now" is not a whole number`},
		"required but deprecated":      {change("required: true", "required: true, deprecated: Use other."), goodSQL, `a required parameter cannot be deprecated`},
		"deprecated is no text":        {change("max_rows: 10", "deprecated: true"), goodSQL, `mine/errors/query.yaml:4:13: deprecated must be a string`},
		"struct without fields":        {change("type: INT64, nullable", "type: STRUCT, nullable"), goodSQL, `mine/errors/query.yaml:11:21: type STRUCT needs fields, which lists the columns of the STRUCT`},
		"fields of no struct":          {change("nullable: false", "fields: [{name: a, type: STRING, description: A.}]"), goodSQL, `fields is for columns of type STRUCT, or of an ARRAY of it`},
		"column of another case":       {change("type: INT64, nullable: false, description: Number.}", "type: INT64, description: N.}\n  - {name: N, type: INT64, description: N.}"), goodSQL, `columns "n" and "N" differ only in letter case, which SQL ignores; rename one of them`},
		"field of another case":        {change("type: INT64, nullable: false", "type: STRUCT, fields: [{name: a b, type: STRING, description: A.}, {name: A b, type: STRING, description: A.}]"), goodSQL, `fields "a b" and "A b" differ only in letter case`},
		"character of a column":        {change("{name: n, ", "{name: 'n.a', "), goodSQL, `name "n.a" has the character '.', which no column can have in BigQuery; use letters, digits, underscores, spaces or dashes, as in COUNT(*) AS total`},
		"field twice":                  {change("type: INT64, nullable: false", "type: STRUCT, fields: [{name: a, type: STRING, description: A.}, {name: a, type: STRING, description: A.}]"), goodSQL, `field "a" is declared twice`},
		"unknown key of a field":       {change("type: INT64, nullable: false", "type: STRUCT, fields: [{name: a, kind: STRING, description: A.}]"), goodSQL, `unknown key "kind"; the keys are name, type, nullable, description, deprecated, fields, graphql`},
		"unknown type of a field":      {change("type: INT64, nullable: false", "type: ARRAY<STRUCT>, fields: [{name: a, type: TEXT, description: A.}]"), goodSQL, `type "TEXT" is unknown; use one of STRING`},
		"nullable array":               {change("type: INT64, nullable: false", "type: ARRAY<INT64>, nullable: true"), goodSQL, `an ARRAY is never NULL, but empty; leave nullable out`},
		"arrays without end":           {change("type: INT64, nullable", "type: "+strings.Repeat("ARRAY<", 20)+"STRING"+strings.Repeat(">", 20)+", nullable"), goodSQL, `is unknown; use one of STRING`},
		"structs without end":          {change("type: INT64, nullable: false", "type: STRUCT, fields: "+strings.Repeat("[{name: a, type: STRUCT, description: A., fields: ", 20)+"x"+strings.Repeat("}]", 20)), goodSQL, `structs nest more than 15 levels deep`},
		"null where text should be":    {change("name: logs.errors", "name:"), goodSQL, `mine/errors/query.yaml:2:6: name must be a string`},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := readMine(folder(test.yaml, test.sql))
			var mistakes sqlq.FileErrors
			require.ErrorAs(t, err, &mistakes)
			assert.ErrorContains(t, err, test.want)
		})
	}
}

// All mistakes are reported at once, in the order of the file.
func TestReadReportsAllMistakesAtOnce(t *testing.T) {
	t.Parallel()
	yaml := strings.NewReplacer("max_rows: 10", "max_rows: -1", "type: INT64, nullable", "type: INTEGER, nullable").Replace(goodYAML)
	files := folder(yaml, "SELECT $skip")
	files["empty/notes.txt"] = &fstest.MapFile{}
	files["without-sql/query.yaml"] = &fstest.MapFile{Data: []byte(strings.NewReplacer("0b7f3a52", "0b7f3a53", "logs.errors", "logs.more").Replace(goodYAML))}
	_, err := readMine(files)
	require.EqualError(t, err, strings.Join([]string{
		`mine/empty/query.yaml: is missing`,
		`mine/errors/duckdb.sql:1:8: parameter $skip is not declared under params in query.yaml`,
		`mine/errors/query.yaml:4:11: max_rows must be a whole number from 1 to 100000`,
		`mine/errors/query.yaml:8:12: parameter "project" is declared but duckdb.sql does not use $project`,
		`mine/errors/query.yaml:9:12: parameter "most" is declared but duckdb.sql does not use $most`,
		`mine/errors/query.yaml:11:21: type "INTEGER" is unknown; use one of STRING, INT64, FLOAT64, NUMERIC, BOOL, TIMESTAMP, DATETIME, DATE, JSON, STRUCT, or an ARRAY of one, such as ARRAY<STRING>`,
		`mine/without-sql/duckdb.sql: is missing`,
	}, "\n"))
}

// What the SQL uses is not undeclared where the declarations cannot be read.
func TestReadReportsNoConsequentialMistakes(t *testing.T) {
	t.Parallel()
	for name, yaml := range map[string]string{
		"not YAML":         "id: [",
		"empty":            "",
		"not a mapping":    "- a",
		"other key":        strings.Replace(goodYAML, "params:", "parameters:", 1),
		"params is a text": strings.Replace(goodYAML, "params:", "params: none\ncolumns:", 1),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := readMine(folder(yaml, goodSQL))
			require.ErrorContains(t, err, "mine/errors/query.yaml")
			assert.NotContains(t, err.Error(), "duckdb.sql")
		})
	}
}

func TestReadRejectsDirectoriesWithoutFolders(t *testing.T) {
	t.Parallel()
	_, err := readMine(fstest.MapFS{"README.md": {}})
	require.EqualError(t, err, `mine: has no folder with a query.yaml; "savedq new NAME --sql FILE --queries DIR" writes one`)
	_, err = catalog.Read(duckdbsql.Dialect{}, catalog.Directory{FS: fstest.MapFS{"query.yaml": {}}, Path: "mine/logs.errors"})
	require.EqualError(t, err, "mine/logs.errors: is the folder of one saved query; give the directory that holds it")
}

// Empty directories can be allowed. The folder of a saved query is a mistake in any case.
func TestReadAllowsEmptyDirectories(t *testing.T) {
	t.Parallel()
	options := catalog.Options{AllowEmpty: true, Omitted: catalog.ShippedNames()}
	for name, files := range map[string]fstest.MapFS{"empty": {}, "a file": {"README.md": {}}, "a hidden folder": {".git/config": {}}} {
		read, err := catalog.ReadWith(options, duckdbsql.Dialect{}, catalog.Directory{FS: files, Path: "mine"})
		require.NoError(t, err, name)
		assert.Empty(t, read.Queries(), name)
	}
	_, err := catalog.ReadWith(options, duckdbsql.Dialect{}, catalog.Directory{FS: fstest.MapFS{"query.yaml": {}}, Path: "mine/logs.errors"})
	require.EqualError(t, err, "mine/logs.errors: is the folder of one saved query; give the directory that holds it")
	_, err = catalog.ReadWith(options, duckdbsql.Dialect{}, catalog.Directory{FS: fstest.MapFS{"a/b": {}}, Path: "mine"})
	require.EqualError(t, err, "mine/a/query.yaml: is missing")
}

// Nested columns and arrays are read with their fields, and their settings.
func TestReadNestedTypes(t *testing.T) {
	t.Parallel()
	yaml, _, _ := strings.Cut(goodYAML, "params:")
	yaml += `deprecated: Use logs.more.
params:
  - {name: project, type: ARRAY<STRING>, default: [a, b], max_items: 3, description: Projects., deprecated: Use most.}
  - {name: most, type: DATE, min: 2026-01-01, max: 2026-12-31, description: Day.}
columns:
  - name: slowest
    type: ARRAY<STRUCT>
    description: Slowest requests.
    fields:
      - {name: path, type: STRING, nullable: false, description: Path.}
      - {name: sizes, type: ARRAY<ARRAY<INT64>>, description: Sizes., deprecated: Nobody sends them.}
`
	catalog, err := readMine(folder(yaml, goodSQL))
	require.NoError(t, err)
	query, _ := catalog.Find("logs.errors")
	assert.Equal(t, "Use logs.more.", query.Deprecated)
	projects, day := query.Params[0], query.Params[1]
	assert.Equal(t, sqlq.ArrayOf(sqlq.String), projects.Type)
	assert.Equal(t, []string{"a", "b"}, projects.Default)
	assert.Equal(t, 3, projects.MaxItems)
	assert.Equal(t, "Use most.", projects.Deprecated)
	assert.Equal(t, &sqlq.Bound{Text: "2026-12-31", Value: time.Date(2026, 12, 31, 0, 0, 0, 0, time.UTC)}, day.Max)
	slowest := query.Columns[0]
	assert.Equal(t, sqlq.ArrayOf(sqlq.Struct), slowest.Type)
	assert.False(t, slowest.Nullable)
	require.Len(t, slowest.Fields, 2)
	assert.Equal(t, "path", slowest.Fields[0].Name)
	assert.False(t, slowest.Fields[0].Nullable)
	assert.Equal(t, sqlq.Type("ARRAY<ARRAY<INT64>>"), slowest.Fields[1].Type)
	assert.Equal(t, "Nobody sends them.", slowest.Fields[1].Deprecated)
	assert.Equal(t, sqlq.Place{File: "mine/errors/query.yaml", Line: 17, Column: 10}, slowest.Fields[1].Place)
}

package graph

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"savedq/sqlq"
	"savedq/sqlq/catalog"
	"savedq/sqlq/duckdb/duckdbsql"
)

// D26: a folder names what the derivation would name otherwise.
func TestGraphQLNames(t *testing.T) {
	t.Parallel()
	yaml := strings.NewReplacer(
		"max_rows: 10", "graphql: {field: errors, description: All errors., type: Error, type_description: An error.}",
		"type: INT64, default: 5, allowed: [5, 10], fallback: 10",
		"type: STRING, allowed: [5, 10], graphql: {argument: limit, description: A limit., type: Limit, type_description: Limits., values: [{value: 5, name: FIVE}, {value: 10, description: Ten.}]}",
		"type: INT64, nullable: false", "type: INT64, graphql: {field: number, type: Int, description: A number.}",
	).Replace(goodYAML)
	catalog, err := ReadCatalog(duckdbsql.Dialect{}, catalog.Directory{FS: folder(yaml, goodSQL), Path: "mine"})
	require.NoError(t, err)
	query, _ := catalog.Find("logs.errors")
	at := func(line, column int) sqlq.Place {
		return sqlq.Place{File: "mine/errors/query.yaml", Line: line, Column: column}
	}
	assert.Equal(t, declaredNames{Name: "errors", Description: "All errors.", Type: "Error", TypeDescription: "An error.", Place: at(4, 10)}, query.Extension)
	assert.Equal(t, declaredNames{
		Name: "limit", Description: "A limit.", Type: "Limit", TypeDescription: "Limits.", Place: at(9, 59),
		Values: []EnumValue{{Value: "5", Name: "FIVE"}, {Value: "10", Description: "Ten."}},
	}, query.Params[1].Extension)
	assert.Equal(t, declaredNames{Name: "number", Type: "Int", Description: "A number.", Place: at(11, 37)}, query.Columns[0].Extension)
}

// Every mistake under a key graphql, with file, line and column.
func TestGraphQLNamesReportMistakes(t *testing.T) {
	t.Parallel()
	files, wants := folders{make(fstest.MapFS)}, make(map[string]struct{ name, message string })
	for name, test := range map[string]struct{ from, to, want string }{
		"unknown key":                   {"max_rows: 10", "graphql: {name: errors}", `query.yaml:4:11: unknown key "name"; the keys are field, description, type, type_description`},
		"no mapping":                    {"max_rows: 10", "graphql: errors", `query.yaml:4:10: must be a mapping with the keys field, description, type, type_description`},
		"field that is not a name":      {"max_rows: 10", "graphql: {field: top-slow}", `query.yaml:4:18: field "top-slow" is not a name of letters, digits and underscores, which does not begin with a digit or two underscores`},
		"reserved field":                {"max_rows: 10", "graphql: {field: __errors}", `query.yaml:4:18: field "__errors" is not a name`},
		"type that is not a name":       {"max_rows: 10", "graphql: {type: 1st}", `query.yaml:4:17: type "1st" is not a name`},
		"empty description":             {"max_rows: 10", "graphql: {description: ''}", `query.yaml:4:24: description must not be empty`},
		"enum of a free parameter":      {"required: true", "graphql: {type: Project}", `query.yaml:8:51: type is for the enum of a parameter with allowed values`},
		"values of a free parameter":    {"required: true", "graphql: {values: [{value: a}]}", `values is for the enum of a parameter with allowed values`},
		"value that is not allowed":     {"allowed: [5, 10]", "graphql: {values: [{value: 7}]}, allowed: [5, 10]", `"7" is not among the allowed values`},
		"value named twice":             {"allowed: [5, 10]", "graphql: {values: [{value: 5}, {value: 5}]}, allowed: [5, 10]", `"5" is named twice`},
		"value without a value":         {"allowed: [5, 10]", "graphql: {values: [{name: FIVE}]}, allowed: [5, 10]", `key "value" is missing`},
		"parameter with an underscore":  {"name: project", "name: _project", `name "_project" is not a name of lower-case letters, digits and underscores, which begins with a letter`},
		"value that GraphQL keeps":      {"allowed: [5, 10]", "graphql: {values: [{value: 5, name: 'true'}]}, allowed: [5, 10]", `query.yaml:9:79: name "true" is a keyword that GraphQL does not allow as an enum value; use another name`},
		"value of the keyword null":     {"allowed: [5, 10]", "graphql: {values: [{value: 5, name: 'null'}]}, allowed: [5, 10]", `name "null" is a keyword`},
		"value that is not a name":      {"allowed: [5, 10]", "graphql: {values: [{value: 5, name: 5}]}, allowed: [5, 10]", `name must be a string`},
		"scalar that there is not":      {"nullable: false", "graphql: {type: Decimal}", `query.yaml:11:44: type "Decimal" is unknown; use one of ID, Int`},
		"scalar for another type":       {"nullable: false", "graphql: {type: ID}", `type ID is for columns of type STRING, and Int for columns of type INT64`},
		"argument where a field has to": {"nullable: false", "graphql: {argument: n}", `unknown key "argument"; the keys are field, description, type`},
	} {
		require.Contains(t, goodYAML, test.from)
		number := len(wants)
		folderName := fmt.Sprintf("q%02d", number)
		files.add(number, strings.Replace(goodYAML, test.from, test.to, 1))
		wants[folderName] = struct{ name, message string }{name, test.want}
	}
	_, err := ReadCatalog(duckdbsql.Dialect{}, catalog.Directory{FS: files.MapFS, Path: "mine"})
	require.Error(t, err)
	for folderName, want := range wants {
		found := slices.ContainsFunc(strings.Split(err.Error(), "\n"), func(line string) bool {
			return strings.HasPrefix(line, "mine/"+folderName+"/query.yaml:") && strings.Contains(line, want.message)
		})
		assert.True(t, found, "%s: %s is not in %s", want.name, want.message, err)
	}
}

// Clients' caches merge rows of a type that have the same id, unless the saved query declares that
// it is unique.
func TestWarnsOfIDsThatCanRepeat(t *testing.T) {
	t.Parallel()
	files, number := folders{make(fstest.MapFS)}, 0
	const warning = "^mine/q[0-9]+/query.yaml:12:[0-9]+: rows with the same id are one object in the caches of Apollo Client and urql"
	columns := map[string]bool{
		"{name: id, type: STRING, description: The id.}":                                                                 true,
		"{name: id, type: INT64, nullable: false, description: The id.}":                                                 true,
		"{name: id, type: INT64, description: The id., graphql: {type: Int}}":                                            true,
		"{name: event, type: STRING, description: The id., graphql: {field: id}}":                                        true,
		"{name: id, type: STRING, description: The id., graphql: {type: ID}}":                                            false,
		"{name: id, type: STRING, description: The id., graphql: {field: eventId}}":                                      false,
		"{name: ids, type: STRING, description: The ids.}":                                                               false,
		"{name: user, type: STRUCT, description: A user., fields: [{name: ids, type: STRING, description: Ids.}]}":       false,
		"{name: user, type: STRUCT, description: A user., fields: [{name: id, type: STRING, description: The id.}]}":     true,
		"{name: users, type: ARRAY<STRUCT>, description: All., fields: [{name: id, type: STRING, description: An id.}]}": true,
	}
	numbers := make(map[string]int)
	for column := range columns {
		files.add(number, strings.Replace(goodYAML, "required: true", "scope: project", 1)+"  - "+column+"\n")
		numbers[column] = number
		number++
	}
	read, err := ReadCatalog(duckdbsql.Dialect{}, catalog.Directory{FS: files.MapFS, Path: "mine"})
	require.NoError(t, err)
	for column, warned := range columns {
		query, ok := read.Find(fmt.Sprintf("logs.errors%02d", numbers[column]))
		require.True(t, ok)
		if !warned {
			assert.Empty(t, Warnings(query), column)
		} else if assert.Len(t, Warnings(query), 1, column) {
			assert.Regexp(t, warning, Warnings(query).Error(), column)
		}
	}
}

// folders has a folder for each of several saved queries.
type folders struct{ fstest.MapFS }

// add adds a variant of goodYAML with a name and an id of its own.
func (f folders) add(number int, yaml string) {
	yaml = strings.Replace(yaml, "9d11\n", fmt.Sprintf("9d%02d\n", number), 1)
	yaml = strings.Replace(yaml, "name: logs.errors", fmt.Sprintf("name: logs.errors%02d", number), 1)
	f.MapFS[fmt.Sprintf("q%02d/query.yaml", number)] = &fstest.MapFile{Data: []byte(yaml)}
	f.MapFS[fmt.Sprintf("q%02d/duckdb.sql", number)] = &fstest.MapFile{Data: []byte(goodSQL)}
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

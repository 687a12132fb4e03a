package catalog_test

import (
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"savedq/sqlq/catalog"
	"savedq/sqlq/duckdb/duckdbsql"
)

// Places marked with TODO, in texts and in comments, are warnings and no mistakes. Other files
// in the folder, such as tests, are not read.
func TestMarks(t *testing.T) {
	t.Parallel()
	const yaml = "id: 00000000-0000-4000-8000-000000000001\nname: mine # TODO: a better one\ndescription: \"TODO: say what\"\ncolumns:\n" +
		"  - name: n\n    type: INT64\n    description: >-\n      äöü TODO: say\n"
	catalog, err := catalog.Read(duckdbsql.Dialect{}, catalog.Directory{FS: fstest.MapFS{
		"mine/query.yaml": {Data: []byte(yaml)}, "mine/duckdb.sql": {Data: []byte("SELECT 1 AS n")}, "mine/tests/a.yaml": {Data: []byte("- nothing")},
	}, Path: "my"})
	require.NoError(t, err)
	query, found := catalog.Find("mine")
	require.True(t, found)
	assert.Empty(t, query.Description, "a mark is never served")
	assert.Empty(t, query.Columns[0].Description, "a mark is never served")
	assert.Equal(t, "my/mine/query.yaml:2:7: no parameter has scope: project, so tokens that are limited to projects cannot run mine\n"+
		"my/mine/query.yaml:2:14: TODO: a better one\nmy/mine/query.yaml:3:15: TODO: say what\nmy/mine/query.yaml:8:11: TODO: say", query.Warnings().Error())
}

package catalog_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"savedq/sqlq"
)

const pagesYAML = `id: 0b7f3a52-5d0e-4f6c-9a41-6a2f0f3c9d12
name: entries
description: Entries.
params:
  - {name: count, type: INT64, default: 10, description: Rows.}
  - {name: before, type: TIMESTAMP, description: Time.}
  - {name: id, type: STRING, description: Id.}
  - {name: word, type: STRING, default: a, description: Word.}
columns:
  - {name: at, type: TIMESTAMP, nullable: false, description: Time.}
  - {name: key, type: STRING, nullable: false, description: Key.}
  - {name: text, type: STRING, description: Text.}
pages:
  limit: count
  after: {before: at, id: key}
`

const pagesSQL = `SELECT timestamp AS at, id AS key, event_message AS text FROM edge_logs
WHERE event_message = $word AND ($before IS NULL OR timestamp < $before::TIMESTAMP OR timestamp = $before::TIMESTAMP AND id < $id)
ORDER BY at DESC, key DESC LIMIT $count`

func TestReadPages(t *testing.T) {
	t.Parallel()
	read, err := readMine(folder(pagesYAML, pagesSQL))
	require.NoError(t, err)
	query, _ := read.Find("entries")
	assert.Equal(t, &sqlq.Pages{Limit: "count", After: []sqlq.PageKey{{Param: "before", Column: 0}, {Param: "id", Column: 1}}}, query.Pages)
	assert.Len(t, query.Params, 4)
	assert.Equal(t, 65_536, query.Param("id").MaxLength, "any text is a key")
	paged := query.Paged()
	assert.Equal(t, "after", paged.Params[4].Name)
	assert.Len(t, query.Params, 4)
}

func TestReadPagesMistakes(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct{ from, to, want string }{
		"unknown key":                {"  limit:", "  first:", `:14:3: unknown key "first"; the keys are limit, after`},
		"no mapping":                 {"pages:\n  limit: count\n  after: {before: at, id: key}\n", "pages: [a]\n", ":13:8: must be a mapping"},
		"no limit":                   {"  limit: count\n", "", `:14:3: key "limit" is missing`},
		"no after":                   {"  after: {before: at, id: key}\n", "", `:14:3: key "after" is missing`},
		"an empty after":             {"{before: at, id: key}", "{}", ":15:10: after must be a mapping of parameters to the columns whose last values they take"},
		"a list":                     {"{before: at, id: key}", "[before, id]", ":15:10: after must be a mapping of parameters to the columns whose last values they take"},
		"an unknown limit":           {"limit: count", "limit: cont", `:14:10: parameter "cont" is not declared`},
		"a limit of text":            {"limit: count", "limit: word", `:14:10: parameter "word" must be an INT64 with a default, to be the most rows of a page`},
		"a limit that can be absent": {", default: 10", "", `:14:10: parameter "count" must be an INT64 with a default, to be the most rows of a page`},
		"an unknown parameter":       {"id: key}", "it: key}", `:15:23: parameter "it" is not declared`},
		"a parameter with a default": {"id: key}", "word: key}", `:15:23: parameter "word" must be optional and without a default: it is absent for the first page`},
		"an unknown column":          {"id: key}", "id: kay}", `:15:27: column "kay" is not among the columns`},
		"another type":               {"id: key}", "id: at}", `:15:27: column "at" has the type TIMESTAMP, and parameter "id" STRING`},
		"a column with NULL":         {"id: key}", "id: text}", `:15:27: column "text" must be declared with nullable: false: rows with NULL cannot be found again`},
		"a key with max_length":      {"{name: id, type: STRING,", "{name: id, type: STRING, max_length: 280,", `:15:23: parameter "id" must have no limits, such as allowed, pattern, max_length or min: it takes every value of the column`},
		"a key with pattern":         {"{name: id, type: STRING,", "{name: id, type: STRING, pattern: \"[a-c]+\",", `:15:23: parameter "id" must have no limits, such as allowed, pattern, max_length or min: it takes every value of the column`},
		"a key with allowed":         {"{name: id, type: STRING,", "{name: id, type: STRING, allowed: [a, b],", `:15:23: parameter "id" must have no limits, such as allowed, pattern, max_length or min: it takes every value of the column`},
		"a key with format":          {"{name: id, type: STRING,", "{name: id, type: STRING, format: regex,", `:15:23: parameter "id" must have no limits, such as allowed, pattern, max_length or min: it takes every value of the column`},
		"a key with min":             {"{name: before, type: TIMESTAMP,", "{name: before, type: TIMESTAMP, min: 2026-01-01,", `:15:11: parameter "before" must have no limits, such as allowed, pattern, max_length or min: it takes every value of the column`},
		"a key with max":             {"{name: before, type: TIMESTAMP,", "{name: before, type: TIMESTAMP, max: 2030-01-01,", `:15:11: parameter "before" must have no limits, such as allowed, pattern, max_length or min: it takes every value of the column`},
		"a parameter after":          {"name: word", "name: after", `:14:3: callers send the cursor of a page as after, so no parameter of a query with pages has that name (line 8)`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			require.Contains(t, pagesYAML, test.from)
			_, err := readMine(folder(strings.Replace(pagesYAML, test.from, test.to, 1), pagesSQL))
			assert.ErrorContains(t, err, "mine/errors/query.yaml"+test.want)
		})
	}
	_, err := readMine(folder(seriesYAML+"pages:\n  limit: a\n  after: {b: at}\n", seriesSQL))
	assert.ErrorContains(t, err, "a saved query has pages or a series, not both")
}

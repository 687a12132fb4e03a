package runner_test

import (
	"context"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"savedq/sqlq"
	"savedq/sqlq/catalog"
	"savedq/sqlq/runner"
	"savedq/sqlq/sqlqtest"
)

const pagesYAML = `id: 0b7f3a52-5d0e-4f6c-9a41-6a2f0f3c9d12
name: entries
description: Entries.
params:
  - {name: word, type: STRING, default: a, description: Word.}
  - {name: start, type: TIMESTAMP, default: now-1h, description: Start.}
  - {name: count, type: INT64, default: 10, min: 1, max: 100, description: Rows.}
  - {name: before, type: TIMESTAMP, description: Time.}
  - {name: id, type: STRING, description: Id.}
columns:
  - {name: at, type: TIMESTAMP, nullable: false, description: Time.}
  - {name: key, type: STRING, nullable: false, description: Key.}
pages:
  limit: count
  after: {before: at, id: key}
`

const pagesSQL = "SELECT timestamp AS at, id AS key FROM edge_logs WHERE $word <> '' AND timestamp > $start::TIMESTAMP AND $before IS NULL AND $id IS NULL LIMIT $count"

// pagedCatalog has the saved query entries, and others with other text.
func pagedCatalog(tb testing.TB, more ...string) *catalog.Catalog {
	tb.Helper()
	folder := fstest.MapFS{"entries/query.yaml": {Data: []byte(pagesYAML)}, "entries/duckdb.sql": {Data: []byte(pagesSQL + strings.Join(more, ""))}}
	for i, name := range []string{"others"} {
		yaml := strings.NewReplacer("name: entries", "name: "+name, "9d12", fmt.Sprintf("9e%02d", i)).Replace(pagesYAML)
		folder[name+"/query.yaml"], folder[name+"/duckdb.sql"] = &fstest.MapFile{Data: []byte(yaml)}, folder["entries/duckdb.sql"]
	}
	return readMine(tb, folder)
}

// pagedEngine returns entries in descending order.
type pagedEngine struct {
	entries [][]any
	args    map[string]any
}

func compareEntries(a, b []any) int {
	if order := b[0].(time.Time).Compare(a[0].(time.Time)); order != 0 {
		return order
	}
	return strings.Compare(b[1].(string), a[1].(string))
}

func (e *pagedEngine) Run(_ context.Context, statement sqlq.Statement) (*sqlq.Result, error) {
	e.args = make(map[string]any)
	for _, arg := range statement.Args {
		e.args[arg.Name] = arg.Value
	}
	slices.SortFunc(e.entries, compareEntries)
	result := &sqlq.Result{Columns: statement.Query.Columns}
	for _, entry := range e.entries {
		before, isPage := e.args["before"].(time.Time)
		if isPage && compareEntries([]any{before, e.args["id"]}, entry) >= 0 || !entry[0].(time.Time).After(e.args["start"].(time.Time)) {
			continue
		}
		if int64(len(result.Rows)) == e.args["count"].(int64) {
			break
		}
		result.Rows = append(result.Rows, entry)
	}
	return result, nil
}

func pagedRunner(read *catalog.Catalog, engine *pagedEngine, clock func() time.Time) *runner.Runner {
	return runner.New(sqlqtest.Config(read, engineFunc(engine.Run), clock))
}

func runPage(t *testing.T, r *runner.Runner, name string, params map[string][]string) (*runner.Response, error) {
	t.Helper()
	query, err := r.Find(t.Context(), name)
	require.NoError(t, err)
	return r.Run(t.Context(), runner.Request{Query: query, Params: params})
}

// While events arrive, early and late, pages of any size have each entry that was there when the first page was
// read once, and no entry twice. The time begins where it began for the first page.
func TestPagesNeitherRepeatNorSkipRows(t *testing.T) {
	t.Parallel()
	read := pagedCatalog(t)
	for seed := range uint64(50) {
		random := rand.New(rand.NewPCG(seed, 4))
		now := time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)
		engine, number := &pagedEngine{}, 0
		add := func(count int) {
			for range count {
				number++
				at := now.Add(-time.Duration(random.IntN(20)) * 4 * time.Minute) // many have the same time, and some are too old
				engine.entries = append(engine.entries, []any{at, fmt.Sprintf("%c%d", 'a'+random.IntN(3), number)})
			}
		}
		add(random.IntN(60))
		there, start := slices.Clone(engine.entries), now.Add(-time.Hour)
		queries := pagedRunner(read, engine, func() time.Time { return now })
		seen, cursor := make(map[string]int), ""
		for {
			params := map[string][]string{"count": {strconv.Itoa(1 + random.IntN(9))}}
			if cursor != "" {
				params["after"] = []string{cursor}
			}
			response, err := runPage(t, queries, "entries", params)
			require.NoError(t, err)
			assert.Equal(t, start, engine.args["start"])
			for _, row := range response.Result.Rows {
				seen[row[1].(string)]++
			}
			if cursor = response.Result.Next; cursor == "" {
				break
			}
			now = now.Add(time.Duration(random.IntN(10)) * time.Minute)
			add(random.IntN(3))
		}
		for _, entry := range there {
			if entry[0].(time.Time).After(start) {
				assert.Equal(t, 1, seen[entry[1].(string)], "seed %d", seed)
			}
		}
		for key, count := range seen {
			assert.Equal(t, 1, count, "seed %d: %s", seed, key)
		}
	}
}

// A cursor belongs to a saved query, its version and the other arguments. Whatever else a caller sends is an error.
func TestCursorsOfOtherRequests(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)
	engine := &pagedEngine{entries: [][]any{{now, "a"}, {now, "b"}, {now, "c"}}}
	clock := func() time.Time { return now }
	queries := pagedRunner(pagedCatalog(t), engine, clock)
	first, err := runPage(t, queries, "entries", map[string][]string{"count": {"2"}, "word": {"w"}})
	require.NoError(t, err)
	cursor := first.Result.Next
	require.NotEmpty(t, cursor)

	const foreign = "after: is not a cursor of this version of the saved query; leave it out to begin with the first page"
	const other = "after: is the cursor of a page with other parameters; send the same ones as for that page"
	for name, test := range map[string]struct {
		query  string
		params map[string][]string
		want   string
	}{
		"the same":             {"entries", map[string][]string{"word": {"w"}}, ""},
		"another limit":        {"entries", map[string][]string{"word": {"w"}, "count": {"1"}}, ""},
		"the same start":       {"entries", map[string][]string{"word": {"w"}, "start": {"2026-11-20T12:00:00+01:00"}}, ""},
		"the same id":          {"entries", map[string][]string{"word": {"w"}, "id": {"b"}}, ""},
		"another word":         {"entries", map[string][]string{"word": {"v"}}, other},
		"no word":              {"entries", nil, other},
		"another start":        {"entries", map[string][]string{"word": {"w"}, "start": {"2026-11-20"}}, "start: differs from the page before; leave it out, because the cursor has it"},
		"a start that is none": {"entries", map[string][]string{"word": {"w"}, "start": {"x"}}, "start: differs from the page before; leave it out, because the cursor has it"},
		"another id":           {"entries", map[string][]string{"word": {"w"}, "id": {"a"}}, "id: differs from the page before; leave it out, because the cursor has it"},
		"another saved query":  {"others", map[string][]string{"word": {"w"}}, foreign},
		"a wrong parameter":    {"entries", map[string][]string{"word": {"w"}, "count": {"0"}}, `count: "0" is less than the minimum, 1`},
	} {
		t.Run(name, func(t *testing.T) {
			params := map[string][]string{"after": {cursor}}
			maps.Copy(params, test.params)
			response, err := runPage(t, queries, test.query, params)
			if test.want == "" {
				require.NoError(t, err)
				assert.Equal(t, "a", response.Result.Rows[0][1])
				return
			}
			require.Error(t, err)
			failure := sqlq.AsError(err)
			assert.Equal(t, sqlq.InvalidArgument, failure.Code)
			assert.True(t, strings.HasPrefix(failure.PublicText(failure.Param), test.want), failure.PublicText(failure.Param))
		})
	}
	changed := pagedRunner(pagedCatalog(t, " -- changed"), engine, clock)
	_, err = runPage(t, changed, "entries", map[string][]string{"after": {cursor}, "word": {"w"}})
	require.ErrorContains(t, err, "is not a cursor of this version of the saved query")
	_, err = runPage(t, queries, "entries", map[string][]string{"after": {cursor, cursor}, "word": {"w"}})
	require.ErrorContains(t, err, "is given 2 times; give it once")
	query, err := queries.Find(t.Context(), "entries")
	require.NoError(t, err)
	_, err = queries.Run(t.Context(), runner.Request{Query: query, Faults: map[string]string{"after": "must be a text"}})
	require.ErrorContains(t, err, "must be a text")
	_, err = queries.Run(t.Context(), runner.Request{Query: query, SQL: "SELECT 1", Params: map[string][]string{"after": {cursor}, "word": {"w"}}})
	require.ErrorContains(t, err, "is for the rows of the saved query itself, which the SQL replaces; leave one of them out")
	response, err := runPage(t, queries, "entries", map[string][]string{"after": {""}})
	require.NoError(t, err)
	assert.Len(t, response.Result.Rows, 3, "an empty one is an absent one")
	assert.Empty(t, response.Result.Next)
}

// A caller repeats the parameters of the first page with each cursor, as the header Link does. Relative times stay what
// they were there, whether the parameter has a default or not.
func TestPagesKeepRelativeTimes(t *testing.T) {
	t.Parallel()
	begin := time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)
	yaml := strings.NewReplacer("default: now-1h, ", "min: 2026-11-19, ").Replace(pagesYAML)
	read := readMine(t, fstest.MapFS{"entries/query.yaml": {Data: []byte(yaml)}, "entries/duckdb.sql": {Data: []byte(pagesSQL)}})
	for name, read := range map[string]*catalog.Catalog{"relative default": pagedCatalog(t), "a minimum, no default": read} {
		now := begin
		engine := &pagedEngine{entries: [][]any{{begin.Add(-time.Minute), "a"}, {begin.Add(-time.Minute), "b"}, {begin.Add(-time.Minute), "c"}, {begin.Add(-3 * time.Hour), "old"}}}
		queries := pagedRunner(read, engine, func() time.Time { return now })
		params, got := map[string][]string{"start": {"now-2h"}, "count": {"1"}}, []any(nil)
		for {
			response, err := runPage(t, queries, "entries", params)
			require.NoError(t, err, name)
			assert.Equal(t, begin.Add(-2*time.Hour), engine.args["start"], name)
			for _, row := range response.Result.Rows {
				got = append(got, row[1])
			}
			if response.Result.Next == "" {
				break
			}
			params["after"] = []string{response.Result.Next}
			now = now.Add(time.Hour)
		}
		assert.Equal(t, []any{"c", "b", "a"}, got, name)
		for _, other := range []string{"2026-11-20T11:00:00Z", "now-2y", "nowhere"} {
			params["start"] = []string{other}
			_, err := runPage(t, queries, "entries", params)
			require.ErrorContains(t, err, "differs from the page before; leave it out, because the cursor has it", name)
		}
	}
}

// A relative time that exceeds the limits of its parameter is an error, also after rows for the same request were cached.
func TestRelativeTimesBeyondLimits(t *testing.T) {
	t.Parallel()
	yaml := strings.NewReplacer("default: now-1h, ", "max: 2026-11-20T12:30:00Z, ").Replace(pagesYAML)
	read := readMine(t, fstest.MapFS{"entries/query.yaml": {Data: []byte(yaml)}, "entries/duckdb.sql": {Data: []byte(pagesSQL)}})
	now := time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)
	queries := pagedRunner(read, &pagedEngine{}, func() time.Time { return now })
	params := map[string][]string{"start": {"now+30m"}}
	_, err := runPage(t, queries, "entries", params)
	require.NoError(t, err)
	now = now.Add(time.Second)
	_, err = runPage(t, queries, "entries", params)
	require.EqualError(t, err, `start: "2026-11-20T12:30:01Z" is more than the maximum, 2026-11-20T12:30:00Z`)
	query, err := queries.Find(t.Context(), "entries")
	require.NoError(t, err)
	_, err = queries.Run(t.Context(), runner.Request{Query: query, Params: params, At: now.Add(-time.Second)})
	require.NoError(t, err, "of an earlier moment")
}

// No text but the cursor itself is accepted as one.
func FuzzCursor(f *testing.F) {
	now, read := time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC), pagedCatalog(f)
	f.Add("", 0, byte(0))
	f.Add("YQ", 3, byte('x'))
	f.Add("\r", 0, byte(3))
	f.Fuzz(func(t *testing.T, text string, at int, with byte) {
		queries := pagedRunner(read, &pagedEngine{entries: [][]any{{now, "a"}, {now, "b"}}}, func() time.Time { return now })
		first, err := runPage(t, queries, "entries", map[string][]string{"count": {"1"}})
		require.NoError(t, err)
		cursor := first.Result.Next
		changed := []byte(cursor)
		changed[uint(at)%uint(len(changed))] = with
		for _, sent := range []string{text, string(changed), cursor + text, text + cursor} {
			if sent == cursor || sent == "" {
				continue
			}
			_, err := runPage(t, queries, "entries", map[string][]string{"after": {sent}})
			require.ErrorContains(t, err, "is not a cursor of this version of the saved query", sent)
		}
	})
}

// A page goes on after any text, also a long one, as long as the cursor fits into headers and URLs.
func TestPagesWithLongKeys(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)
	for _, key := range []string{strings.Repeat("x", 257), strings.Repeat("ä", 2000), "\n\t\"\\ \u2028𝄞", " ", "-1", "null"} {
		queries := pagedRunner(pagedCatalog(t), &pagedEngine{entries: [][]any{{now, key}, {now, "\x01"}}}, func() time.Time { return now })
		first, err := runPage(t, queries, "entries", map[string][]string{"count": {"1"}})
		require.NoError(t, err)
		assert.Equal(t, key, first.Result.Rows[0][1])
		second, err := runPage(t, queries, "entries", map[string][]string{"count": {"1"}, "after": {first.Result.Next}})
		require.NoError(t, err)
		require.Len(t, second.Result.Rows, 1)
		assert.Equal(t, "\x01", second.Result.Rows[0][1])
	}
	queries := pagedRunner(pagedCatalog(t), &pagedEngine{entries: [][]any{{now, strings.Repeat("x", 8192)}}}, func() time.Time { return now })
	_, err := runPage(t, queries, "entries", map[string][]string{"count": {"1"}})
	require.ErrorContains(t, err, "the last row has a key that is too long for the cursor, which has at most 8192 bytes")
}

// A key that no parameter can have is an error, because rows would be lost.
func TestPagesNeedAKey(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)
	queries := pagedRunner(pagedCatalog(t), &pagedEngine{entries: [][]any{{now, ""}}}, func() time.Time { return now })
	_, err := runPage(t, queries, "entries", map[string][]string{"count": {"1"}})
	require.ErrorContains(t, err, "the column key of the last row is empty or NULL, so that no page can follow it")
	response, err := runPage(t, queries, "entries", map[string][]string{"count": {"2"}})
	require.NoError(t, err)
	assert.Empty(t, response.Result.Next)
}

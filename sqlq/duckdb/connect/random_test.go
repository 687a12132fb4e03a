package connect_test

import (
	"context"
	"database/sql"
	"fmt"
	"math/rand/v2"
	"os"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"savedq/sqlq/duckdb/connect"
)

// randomQueries is the number of queries of [TestRandomLimits]; SAVEDQ_RANDOM_LIMITS has another.
const randomQueries = 100

// The rows of joins, cross products and unnested lists that a LIMIT ends early are some of the rows
// of the same SQL without its LIMIT, and as many as it asks for. On the plain driver, the process dies.
func TestRandomLimits(t *testing.T) {
	t.Parallel()
	queries := randomQueries
	if text := os.Getenv("SAVEDQ_RANDOM_LIMITS"); text != "" {
		var err error
		queries, err = strconv.Atoi(text)
		require.NoError(t, err)
	}
	connector, err := connect.New("?threads=1&memory_limit=512MB", nil)
	require.NoError(t, err)
	db := sql.OpenDB(connector)
	t.Cleanup(func() { assert.NoError(t, db.Close()) })
	for table, rows := range map[string]int{"a": 100, "b": 100, "o": 100} {
		_, err := db.ExecContext(t.Context(), fmt.Sprintf(`CREATE TABLE %s AS
			SELECT i, project, rpad('MARK-' || project || '-' || i, 80, chr(97 + i %% 26)) AS txt, range(i %% 4) AS list
			FROM (SELECT i::INT AS i, ['acme','globex','initech','acme2'][1 + i %% 4] AS project FROM range(%d) t(i))`, table, rows))
		require.NoError(t, err)
	}
	for seed := range queries {
		random := rand.New(rand.NewPCG(1, uint64(seed)))
		text := randomJoin(random)
		limit := 1 + random.IntN([]int{3000, 12000, 30000}[random.IntN(3)])
		all, total := countRows(t.Context(), t, db, 2, "SELECT x, count(*) FROM ("+text+") GROUP BY x")
		limited := fmt.Sprintf("%s LIMIT %d", text, limit)
		some, count := countRows(t.Context(), t, db, 1, limited)
		require.Equal(t, min(limit, total), count, "seed %d: %s", seed, limited)
		for row, times := range some {
			require.LessOrEqual(t, times, all[row], "seed %d: the row %q of %s", seed, row, limited)
		}
	}
	t.Logf("%d queries", queries)
}

// countRows returns how often each text occurs in rows of a text and, in a second column, a number, and the sum.
func countRows(ctx context.Context, t *testing.T, db *sql.DB, columns int, query string) (counts map[string]int, total int) {
	t.Helper()
	rows, err := db.QueryContext(ctx, query)
	require.NoError(t, err, query)
	defer func() { assert.NoError(t, rows.Close()) }()
	counts = make(map[string]int)
	for rows.Next() {
		var row sql.NullString
		times, into := 1, []any{&row}
		if columns == 2 {
			into = append(into, &times)
		}
		require.NoError(t, rows.Scan(into...))
		counts[fmt.Sprint(row)] += times
		total += times
	}
	require.NoError(t, rows.Err())
	return counts, total
}

// randomJoin returns SQL with a column x of texts: a string function over two or three sources that are
// joined, multiplied and unnested.
func randomJoin(random *rand.Rand) string {
	one := func(texts ...string) string { return texts[random.IntN(len(texts))] }
	source := func() string {
		table := one("a", "b", "o")
		return "(SELECT i, project, " + one("txt", "txt", "txt", "txt", "upper(txt) AS txt", "substr(txt, 3) AS txt", "txt || project AS txt") + ", list FROM " + table +
			one("", " WHERE project IN ('acme','acme2')", " WHERE project IN ('acme','acme2')", " WHERE contains(txt, 'acme')", " WHERE i % 3 > 0") + ")"
	}
	unnested := func(alias string) string { return one("", "", ", unnest("+alias+".list) AS n") }
	inner := "(SELECT c.project, d.txt, d.i" + unnested("c") + " FROM " + source() + " c " +
		one("CROSS JOIN "+source()+" d", "CROSS JOIN "+source()+" d", "JOIN "+source()+" d ON c.project = d.project", "LEFT JOIN "+source()+" d ON c.i = d.i") + ")"
	function := one("upper(%s)", "lower(%s)", "reverse(%s)", "substr(%s, 2, 30)", "replace(%s, 'a', 'bb')", "concat(%s, '-')", "%s", "regexp_replace(%s, '[a-c]+', '')")
	function = strings.ReplaceAll(function, "%s", one("l.txt", "l.txt", "r.txt", "l.txt || r.txt"))
	join := one("JOIN %s r ON l.project = r.project", "JOIN %s r ON l.project = r.project", "JOIN %s r ON l.project = r.project AND l.i <> r.i", "LEFT JOIN %s r ON l.i = r.i",
		"RIGHT JOIN %s r ON l.project = r.project", "FULL JOIN %s r ON l.i = r.i")
	return "SELECT " + function + " AS x FROM " + inner + " l " + strings.ReplaceAll(join, "%s", source()) +
		one("", "", " WHERE contains(l.txt, 'a')", " WHERE l.project <> 'initech'")
}

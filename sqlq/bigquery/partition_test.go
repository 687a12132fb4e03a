package bigquery_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"savedq/sqlq/googlesql"
	"savedq/sqlq/sqlqtest"
	"savedq/sqlq/sqltext"
)

// BigQuery prunes partitions by what it can compute before it reads a table. So
// each bound on a timestamp in a WHERE must consist of parameters, literals and
// functions alone; one that depends on a table or a subquery reads everything.
func TestBigQueryBoundsOnTimestampsAreConstant(t *testing.T) {
	t.Parallel()
	catalog := sqlqtest.Shipped(t, googlesql.Dialect{})
	bounds := map[string]int{
		"functions.invocation-stats": 2,     // from the first bucket, to the end of the last one
		"usage.api-counts":           2,     // from the start of the window; no rule sets an end, but a part of it has one
		"logs.all":                   3 * 9, // start, end and retention of each source
		"functions.list":             2,     // start and end
		"projects.list":              2 * 9, // start and end of each source
		"logs.search":                3 * 9, // start, end and retention of each source
		"logs.histogram":             3 * 9,
		"logs.facets":                3 * 9,
	}
	for _, query := range catalog.Queries() {
		found, err := timestampBounds(sqltext.Rewrite(query.SQL, sqltext.Bounded(googlesql.Dialect{}, query, func(string) string { return "" })).Text)
		require.NoError(t, err, query.Name)
		assert.Equal(t, bounds[query.Name], found, query.Name)
	}
}

// The test above finds what it is there to find.
func TestTimestampBoundsRejectsColumns(t *testing.T) {
	t.Parallel()
	for _, bad := range []string{
		"timestamp >= (SELECT MIN(timestamp) FROM series)",
		"t.timestamp > s.first",
		"timestamp > CASE WHEN project = 'a' THEN @now END",
		"timestamp > TIMESTAMP_SUB(created_at, INTERVAL 1 DAY)",
		"timestamp IN (SELECT day FROM days)",
		"timestamp BETWEEN @now AND latest",
		"@now < timestamp",
		"TIMESTAMP_TRUNC(timestamp, DAY) = @now",
	} {
		_, err := timestampBounds("SELECT id FROM edge_logs AS t WHERE project = @project AND " + bad + " ORDER BY id")
		require.Error(t, err, bad)
	}
	found, err := timestampBounds("SELECT TIMESTAMP_TRUNC(timestamp, DAY) FROM t WHERE t.timestamp > COALESCE(TIMESTAMP(@a), TIMESTAMP '0001-01-01') " +
		"AND timestamp <= @now OR x = 1 GROUP BY timestamp HAVING timestamp > y")
	require.NoError(t, err)
	assert.Equal(t, 2, found)
}

// timestampBounds counts the comparisons of a timestamp column in the WHERE
// clauses of a GoogleSQL text. The error names the first that is no constant.
func timestampBounds(sql string) (int, error) {
	tokens := significantTokens(sql)
	bounds, depth, where := 0, 0, []int{} // where holds the depths of open WHERE clauses
	for i := 0; i < len(tokens); i++ {
		switch token := strings.ToUpper(tokens[i]); {
		case token == "(":
			depth++
		case token == ")":
			depth--
			where = slices.DeleteFunc(where, func(at int) bool { return at > depth })
		case token == "WHERE":
			where = append(where, depth)
		case token == "GROUP" || token == "ORDER" || token == "LIMIT" || token == "UNION":
			where = slices.DeleteFunc(where, func(at int) bool { return at == depth })
		case tokens[i] == "timestamp" && len(where) > 0:
			end, err := boundEnd(tokens, i)
			if err != nil {
				return 0, err
			}
			bounds++
			i = end
		}
	}
	return bounds, nil
}

// boundEnd checks the comparison whose left side ends with the token at the index
// and returns the index of its last token.
func boundEnd(tokens []string, at int) (int, error) {
	start := at - 1
	if start > 0 && tokens[start] == "." {
		start -= 2
	}
	before := strings.ToUpper(tokens[start])
	if before != "WHERE" && before != "AND" && before != "OR" {
		return 0, fmt.Errorf("a timestamp stands behind %s, and not alone on the left of a comparison", before)
	}
	i := at + 1
	if !slices.Contains([]string{"<", "<=", ">", ">="}, tokens[i]) {
		return 0, fmt.Errorf("a timestamp is not compared by < or >, but by %s", tokens[i])
	}
	i++
	depth := 0
	for ; i < len(tokens); i++ {
		switch token := strings.ToUpper(tokens[i]); {
		case token == "(" || token == "CASE":
			depth++
		case depth == 0 && slices.Contains([]string{"AND", "OR", ")", "GROUP", "ORDER", "LIMIT", "HAVING", "UNION"}, token):
			return i - 1, nil
		case token == ")" || token == "END":
			depth--
		case sqltext.NameLength(token) == len(token) && !isConstantWord(tokens, i):
			return 0, fmt.Errorf("the bound on a timestamp depends on %s", tokens[i])
		}
	}
	return len(tokens), nil
}

// isConstantWord reports whether a name is a function, a number or a word of the
// language that reads no table.
func isConstantWord(tokens []string, at int) bool {
	token := strings.ToUpper(tokens[at])
	if token[0] >= '0' && token[0] <= '9' {
		return true
	}
	words := []string{"WHEN", "THEN", "ELSE", "INTERVAL", "TIMESTAMP", "NULL", "SECOND", "MINUTE", "HOUR", "DAY"}
	return slices.Contains(words, token) || token != "SELECT" && at+1 < len(tokens) && tokens[at+1] == "("
}

func significantTokens(sql string) []string {
	var tokens []string
	for sql != "" {
		length := googlesql.Dialect{}.TokenLength(sql)
		if token := sql[:length]; strings.TrimSpace(token) != "" && !(googlesql.Dialect{}).IsComment(token) {
			tokens = append(tokens, token)
		}
		sql = sql[length:]
	}
	return tokens
}

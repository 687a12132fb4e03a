package duckdb_test

import (
	"context"
	"maps"
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"savedq/sqlq"
	"savedq/sqlq/duckdb"
	"savedq/sqlq/duckdb/duckdbsql"
	"savedq/sqlq/sqlqtest"
)

// matches reports whether an expression matches a string in DuckDB, as in a saved query.
func matches(ctx context.Context, t *testing.T, engine *duckdb.Engine, expression, text string) bool {
	t.Helper()
	query := savedQuery("SELECT regexp_matches(text, $p) AS matches FROM (VALUES ($text)) AS texts(text)", sqlq.Column{Name: "matches", Type: sqlq.Bool})
	query.Params = []sqlq.Param{{Name: "p", Type: sqlq.String, Regex: true}, {Name: "text", Type: sqlq.String}}
	result, err := engine.Run(ctx, sqlq.Statement{Query: query, Args: []sqlq.Arg{
		{Name: "p", Type: sqlq.String, Value: expression}, {Name: "text", Type: sqlq.String, Value: text},
	}})
	require.NoError(t, err, expression)
	return result.Rows[0][0].(bool)
}

// An anchor means the beginning or the end of the text wherever it stands.
func TestExpressionsWithAnchors(t *testing.T) {
	t.Parallel()
	engine := duckdb.New(openStore(t, nil).DB())
	const text = "https://acme.example.com"
	for _, expression := range []string{
		"^", "$", "^$", "^https", "com$", "^https://acme.example.com$", "acme",
		"$https", "com^", `https\z://`, "^^", "$$", "^^https", "com$$", "x^", `\Ahttps`, `acme\A`, "^$^", "(^https)", "(^|/)acme", "acme$|com$", `^\Qhttps`, "$\\Qhttps",
	} {
		assert.Equal(t, regexp.MustCompile(expression).MatchString(text), matches(t.Context(), t, engine, expression, text), expression)
	}
}

// A part that matches nothing changes nothing, wherever it stands.
func TestExpressionsWithEmptyParts(t *testing.T) {
	t.Parallel()
	engine := duckdb.New(openStore(t, nil).DB())
	const text = "a|b"
	for _, expression := range []string{
		"(?:)", "()", "a(?:)", "(?:)a", "a(?:)b", `a(?:)\|`, "b(?:)", "(?:)b", "((?:))a", "(?:a(?:))", "(?:(?:a)(?:))", "a()", "()a", "a{0}b", "(?i:)a", "a(?:)|x", "^(?:)a", "^a(?:)", "(?:)b$", "(?:)^a(?:)",
	} {
		assert.Equal(t, regexp.MustCompile(expression).MatchString(text), matches(t.Context(), t, engine, expression, text), expression)
	}
}

// DuckDB and Go agree about whatever is made of text, anchors and empty parts.
func TestExpressionsAtRandom(t *testing.T) {
	t.Parallel()
	engine := duckdb.New(openStore(t, nil).DB())
	random := rand.New(rand.NewPCG(1, 2))
	parts := []string{"a", "b", "ab", "^", "$", `\A`, `\z`, "(^a)", "(b$)", ".", ".*", "a?", "(?:^)", "|", `\Qa\E`, "^*", "$+", "(?:$)?", "(?:^|a)", "(?m:^)", "(?i)", "[a]", "(?:)", "()", "(?:a(?:))", "a{0}", "(?:)*", "(?:|)"}
	for range 300 {
		var expression strings.Builder
		for range 1 + random.IntN(4) {
			expression.WriteString(parts[random.IntN(len(parts))])
		}
		compiled, err := regexp.Compile(expression.String())
		if err != nil {
			continue
		}
		for _, text := range []string{"", "a", "ba", "aab"} {
			assert.Equal(t, compiled.MatchString(text), matches(t.Context(), t, engine, expression.String(), text), "%q in %q", expression.String(), text)
		}
	}
}

// Every Unicode class that binding accepts, by whatever name, DuckDB has.
func TestUnicodeClasses(t *testing.T) {
	t.Parallel()
	catalog := sqlqtest.Shipped(t, duckdbsql.Dialect{})
	query, _ := catalog.Find("usage.api-counts")
	db, accepted := openStore(t, nil).DB(), 0
	names := slices.Concat(
		slices.Collect(maps.Keys(unicode.Categories)), slices.Collect(maps.Keys(unicode.CategoryAliases)),
		slices.Collect(maps.Keys(unicode.Scripts)), []string{"Any", "ASCII", "Assigned"})
	for _, name := range names {
		expression := `\p{` + name + `}`
		if _, err := query.Bind(map[string][]string{"project": {expression}, "interval": {"daily"}}); err != nil {
			continue
		}
		accepted++
		var matches bool
		require.NoError(t, db.QueryRowContext(t.Context(), "SELECT regexp_matches('', ?)", expression).Scan(&matches), expression)
	}
	assert.Greater(t, accepted, 150)
}

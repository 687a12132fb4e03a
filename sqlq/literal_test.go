package sqlq_test

import (
	"regexp"
	"testing"

	"github.com/stretchr/testify/assert"

	"savedq/sqlq"
	"savedq/sqlq/duckdb/duckdbsql"
	"savedq/sqlq/sqlqtest"
)

// D32: the value of a token that binds project of usage.api-counts is the first label of the
// host, and nothing that another project can put into a URL.
func TestBoundProjectOfAPICounts(t *testing.T) {
	t.Parallel()
	read := sqlqtest.Shipped(t, duckdbsql.Dialect{})
	query, _ := read.Find("usage.api-counts")
	param := &query.Params[query.Scoped(sqlq.ScopeProject)]
	pattern := func(value string) *regexp.Regexp { return regexp.MustCompile(param.Literal(value)) }
	for _, url := range []string{
		"https://acme.example.com/rest/v1/x", "https://acme.example.com", "http://acme.example.com:8443/x", "https://acme/x",
		"https://acme:8080?x", "https://acme.functions.example.com/hello", "wss://acme.example.com/realtime#x", "https://acme.example.com?acme2",
	} {
		assert.True(t, pattern("acme").MatchString(url), url)
	}
	for _, url := range []string{
		"https://acme2.example.com/rest", "https://2acme.example.com/", "https://acme-2.example.com/", "https://acme2.example.com/?x=acme",
		"https://acme2.example.com/acme/", "https://acme2.example.com/https://acme.example.com/", "https://x.acme.example.com/",
		"https://acme@acme2.example.com/", "https://acme:1@acme2.example.com/", "https://acme.x@acme2.example.com/", "https://acme.x:1@acme2.example.com/",
		"https://acme.x\\@acme2.example.com/", "https://acme2.example.com/\nhttps://acme.example.com/", "acme.example.com/rest", "/acme", "acme", "",
		"https:/acme.example.com/", "https://acme2.example.com/#//acme.", "https://ACME.example.com/",
	} {
		assert.False(t, pattern("acme").MatchString(url), url)
	}
	for _, value := range []string{".*", "a.me", "acm.", "acme|x", "acme)|(", "[a-z]+", "acme2|acme", "", "a\\"} {
		assert.False(t, pattern(value).MatchString("https://acme.example.com/rest"), value)
	}
}

// Without bound_pattern, the value must be all of the text.
func TestLiteral(t *testing.T) {
	t.Parallel()
	param := sqlq.Param{Regex: true}
	assert.Equal(t, `^a\.c$`, param.Literal("a.c"))
	param.BoundPattern = "^x/{value}$"
	assert.Equal(t, `^x/a\.c$`, param.Literal("a.c"))
	assert.Equal(t, `^x/\{value\}$`, param.Literal("{value}"), "the value is no template")
}

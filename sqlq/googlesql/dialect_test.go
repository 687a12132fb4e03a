package googlesql_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"savedq/sqlq"
	"savedq/sqlq/googlesql"
)

// On BigQuery, functions that read the clock return the time of the run, and nothing else changes.
func TestClockOfBigQuery(t *testing.T) {
	t.Parallel()
	for sql, want := range map[string]string{
		"SELECT CURRENT_TIMESTAMP(), current_timestamp":                        "SELECT @now, @now",
		"SELECT CURRENT_DATE, CURRENT_DATE ( ) AS d":                           "SELECT DATE(@now), DATE(@now) AS d",
		"SELECT CURRENT_TIME('Asia/Tokyo') AS t":                               "SELECT TIME(@now, 'Asia/Tokyo') AS t",
		"SELECT t.current_date, `current_date`, 'CURRENT_DATE' # CURRENT_DATE": "SELECT t.current_date, `current_date`, 'CURRENT_DATE' # CURRENT_DATE",
		"SELECT day AS current_date FROM t NATURAL JOIN u":                     "SELECT day AS current_date FROM t NATURAL JOIN u",
	} {
		translation, err := googlesql.Dialect{}.FromGoogleSQL(nil, sql)
		require.NoError(t, err, sql)
		assert.Equal(t, want, translation.SQL)
		assert.Equal(t, sql, translation.Written)
	}
	translation, err := googlesql.Dialect{}.FromGoogleSQL(nil, "SELECT CURRENT_DATE AS d, x")
	require.NoError(t, err)
	assert.Equal(t, len("SELECT "), sqlq.OriginOf(translation.Origins, len("SELECT DATE(")))
	assert.Equal(t, len("SELECT CURRENT_DATE"), sqlq.OriginOf(translation.Origins, len("SELECT DATE(@now)")))
	_, err = googlesql.Dialect{}.FromGoogleSQL(nil, "SELECT 'a")
	var mistake *googlesql.Error
	require.ErrorAs(t, err, &mistake)
	assert.Equal(t, "the string has no end; close it with '", mistake.Message)
}

// Tokens end where the translation's do. What it does not know is one character, or all that follows.
func TestTokenLength(t *testing.T) {
	t.Parallel()
	for sql, want := range map[string]int{
		"a": 1, "ab1 c": 3, "@name,": 5, "@@x": 2, ">= 1": 2, "<>": 2, "1.5e3 ": 5, "  a": 1, "# a\nb": 4, "-- a": 4, "/* a */b": 7, "`a.b`c": 5,
		`'a\'b' c`: 6, `r'\'' x`: 5, "'it''s' x": 7, "'''a'b''' c": 9, `b"x"y`: 4, "?": 1, ";": 1,
		"'a": 2, "/* a": 4, "`a": 2, "$a": 1, "ü": 2, "r'a": 3,
	} {
		assert.Equal(t, want, googlesql.Dialect{}.TokenLength(sql), sql)
	}
}

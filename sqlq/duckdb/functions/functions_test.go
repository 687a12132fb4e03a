package functions_test

import (
	"database/sql"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"savedq/sqlq/duckdb/functions"
)

func TestRegister(t *testing.T) {
	t.Parallel()
	db, err := sql.Open("duckdb", "")
	require.NoError(t, err)
	t.Cleanup(func() { assert.NoError(t, db.Close()) })
	require.NoError(t, functions.Register(t.Context(), db))
	for expression, want := range map[string]any{
		"farm_fingerprint('')":                                  int64(-7286425919675154353),
		"farm_fingerprint(NULL::VARCHAR)":                       nil,
		"farm_fingerprint(NULL)":                                nil,
		"farm_fingerprint('ä') = farm_fingerprint(encode('ä'))": true,
		"left(sha512('abc'), 16)":                               "ddaf35a193617aba",
		"sha512('abc') = sha512('abc'::BLOB)":                   true,
		`valid_text('a\xC3\xA4\xFF\xC3b\xE2\x82'::BLOB)`:        "aä\ufffd\ufffdb\ufffd\ufffd",
		"valid_text(NULL)":                                      nil,
		"sha512(NULL::BLOB)":                                    nil,
		"(SELECT count(DISTINCT farm_fingerprint(i::VARCHAR)) FROM range(10_000) AS numbers(i))": int64(10_000),
	} {
		var got any
		// Connections that were not there have the functions, too.
		conn, err := db.Conn(t.Context())
		require.NoError(t, err)
		defer func() { assert.NoError(t, conn.Close()) }()
		require.NoError(t, conn.QueryRowContext(t.Context(), "SELECT "+expression).Scan(&got), expression)
		assert.Equal(t, want, got, expression)
	}
}

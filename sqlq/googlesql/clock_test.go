package googlesql

import (
	"database/sql"
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// Functions that read the clock return @now (D1). Logflare's helper returns the times of D2.
func TestClock(t *testing.T) {
	t.Parallel()
	db, err := sql.Open("duckdb", "")
	require.NoError(t, err)
	t.Cleanup(func() { assert.NoError(t, db.Close()) })
	now := time.Date(2024, time.February, 29, 10, 30, 45, 500_000_000, time.UTC)
	for expression, want := range map[string]string{
		"STRING(CURRENT_TIMESTAMP())":                                       "2024-02-29 10:30:45.500+00",
		"STRING(CURRENT_DATETIME())":                                        "2024-02-29 10:30:45.500",
		"STRING(CURRENT_DATE)":                                              "2024-02-29",
		"STRING(CURRENT_TIME())":                                            "10:30:45.500",
		"STRING(CURRENT_DATETIME('Asia/Kolkata'))":                          "2024-02-29 16:00:45.500",
		"STRING(CURRENT_DATE('+14:00'))":                                    "2024-03-01",
		bounds("GENERATE_TIMESTAMP_TRUNC_ARRAY(5, 'MINUTE_SECOND')"):        "301 2024-02-29 10:25:45+00 2024-02-29 10:30:45+00",
		bounds("GENERATE_TIMESTAMP_TRUNC_ARRAY(15, 'MINUTE_MINUTE')"):       "16 2024-02-29 10:15:00+00 2024-02-29 10:30:00+00",
		bounds("logs.generate_timestamp_trunc_array(1, 'hour_minute')"):     "61 2024-02-29 09:30:00+00 2024-02-29 10:30:00+00",
		bounds("GENERATE_TIMESTAMP_TRUNC_ARRAY(1, CONCAT('DAY', '_HOUR'))"): "25 2024-02-28 10:00:00+00 2024-02-29 10:00:00+00",
		bounds("GENERATE_TIMESTAMP_TRUNC_ARRAY(7, 'DAY_DAY')"):              "8 2024-02-22 00:00:00+00 2024-02-29 00:00:00+00",
	} {
		translated, err := Translate("SELECT "+expression+" AS c", Environment{})
		require.NoError(t, err, expression)
		var got string
		require.NoError(t, db.QueryRowContext(t.Context(), translated.SQL, sql.Named("now", now)).Scan(&got), translated.SQL)
		assert.Equal(t, want, got, expression)
	}
}

// bounds is an expression of how long an array of times is, and of its first and last.
func bounds(array string) string {
	return fmt.Sprintf("(SELECT CONCAT(COUNT(*), ' ', STRING(MIN(x)), ' ', STRING(MAX(x))) FROM UNNEST(%s) AS x)", array)
}

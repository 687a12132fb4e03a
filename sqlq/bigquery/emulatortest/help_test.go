package emulatortest

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"savedq/sqlq/googlesql"
	"savedq/sqlq/sqlqtest"
)

// withHelp rewrites the SQL that has percentiles so that the emulator gives what
// BigQuery gives for the SQL as it is. Other SQL stays as it is, and so does the
// rest of this one:
//
//   - Inside an ARRAY or a STRUCT, the emulator keeps a FLOAT64 that is whole as an
//     INT64, and cuts the fractions off whatever it adds to that or compares with
//     it. CAST changes nothing, because the type is right already; a product whose
//     first factor is a FLOAT64 is one, and 1.0 times a value is the value.
//   - Its APPROX_QUANTILES takes the values in the order in which they come, and
//     takes NULL for a value. BigQuery's sorts them and passes over NULL by itself.
//     So the values of a bucket are first collected, in ascending order and without
//     NULL, and then put through the same APPROX_QUANTILES. A bucket without a
//     value gives NULL either way.
func withHelp(sql string) (string, error) {
	if !strings.Contains(sql, "APPROX_QUANTILES") {
		return sql, nil
	}
	changes := helpWithBuckets()
	if strings.Contains(sql, "GROUP BY m.function_id") {
		changes = helpWithFunctions()
	}
	for _, change := range changes {
		if strings.Count(sql, change.from) != 1 {
			return "", fmt.Errorf("the SQL does not have %q once", change.from)
		}
		sql = strings.Replace(sql, change.from, change.to, 1)
	}
	return sql, nil
}

// change is a text of the SQL and what replaces it.
type change struct{ from, to string }

// helpWithBuckets changes functions.invocation-stats.
func helpWithBuckets() []change {
	return []change{
		{
			"CAST(m.execution_time_ms AS FLOAT64) AS execution_time_ms",
			"1.0 * m.execution_time_ms AS execution_time_ms",
		},
		{
			"APPROX_QUANTILES(execution_time_ms, 100) AS percentiles",
			"ARRAY_AGG(execution_time_ms IGNORE NULLS ORDER BY execution_time_ms) AS percentiles",
		},
		{
			"LEFT JOIN buckets ON",
			"LEFT JOIN (SELECT * REPLACE (" +
				"(SELECT APPROX_QUANTILES(value, 100) FROM UNNEST(percentiles) AS value) AS percentiles) FROM buckets) AS buckets ON",
		},
	}
}

// helpWithFunctions changes functions.list.
func helpWithFunctions() []change {
	return []change{
		{
			"APPROX_QUANTILES(CAST(m.execution_time_ms AS FLOAT64), 100) AS percentiles",
			"ARRAY_AGG(1.0 * m.execution_time_ms IGNORE NULLS ORDER BY 1.0 * m.execution_time_ms) AS percentiles",
		},
		{
			"FROM functions\n",
			"FROM (SELECT * REPLACE (" +
				"(SELECT APPROX_QUANTILES(value, 100) FROM UNNEST(percentiles) AS value) AS percentiles) FROM functions) AS functions\n",
		},
	}
}

// The saved queries with percentiles need help, and it is known when their SQL changes.
func TestHelp(t *testing.T) {
	t.Parallel()
	catalog := sqlqtest.Shipped(t, googlesql.Dialect{})
	for _, query := range catalog.Queries() {
		helped, err := withHelp(query.SQL)
		require.NoError(t, err, query.Name)
		assert.Equal(t, query.Name == invocationStats || query.Name == "functions.list", helped != query.SQL, query.Name)
	}
	_, err := withHelp("SELECT APPROX_QUANTILES(x, 100) FROM t")
	require.Error(t, err)
}

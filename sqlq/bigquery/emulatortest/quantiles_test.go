package emulatortest

import (
	"context"
	"fmt"
	"strings"

	"savedq/sqlq"
)

// bigQuerysQuantiles is an engine on the emulator whose APPROX_QUANTILES gets what
// the emulator's own needs to give BigQuery's answer: values in ascending order
// and none that are NULL. BigQuery sorts them and passes over NULL by itself; the
// emulator does neither. Nothing else of the SQL is changed.
type bigQuerysQuantiles struct {
	sqlq.Engine
}

// Run prepares the values of the percentiles.
func (b bigQuerysQuantiles) Run(ctx context.Context, statement sqlq.Statement) (*sqlq.Result, error) {
	if statement.Query.Name != invocationStats {
		return b.Engine.Run(ctx, statement)
	}
	changed := *statement.Query
	for original, prepared := range map[string]string{
		"APPROX_QUANTILES(execution_time_ms, 100)": "ARRAY_AGG(execution_time_ms IGNORE NULLS ORDER BY execution_time_ms)",
		"LEFT JOIN buckets ON": "LEFT JOIN (SELECT * REPLACE (" +
			"(SELECT APPROX_QUANTILES(value, 100) FROM UNNEST(percentiles) AS value) AS percentiles) FROM buckets) AS buckets ON",
	} {
		if strings.Count(changed.SQL, original) != 1 {
			return nil, fmt.Errorf("the SQL of %s does not hold %q once", changed.Name, original)
		}
		changed.SQL = strings.Replace(changed.SQL, original, prepared, 1)
	}
	statement.Query = &changed
	return b.Engine.Run(ctx, statement)
}

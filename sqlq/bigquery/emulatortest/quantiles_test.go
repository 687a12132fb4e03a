package emulatortest

import (
	"context"
	"fmt"
	"strings"

	"savedq/sqlq"
)

// sortedQuantiles is an engine on the emulator whose APPROX_QUANTILES gets its
// input in ascending order. The emulator's own takes its input for sorted, and so
// gives wrong percentiles for logs that do not arrive in the order of their
// execution times; BigQuery's sorts. Nothing else of the SQL is changed.
type sortedQuantiles struct {
	sqlq.Engine
}

// Run sorts the invocations before they are aggregated.
func (s sortedQuantiles) Run(ctx context.Context, statement sqlq.Statement) (*sqlq.Result, error) {
	const unsorted, sorted = "FROM invocations\n", "FROM (SELECT * FROM invocations ORDER BY execution_time_ms)\n"
	if statement.Query.Name != "functions.invocation-stats" {
		return s.Engine.Run(ctx, statement)
	}
	if strings.Count(statement.Query.SQL, unsorted) != 1 {
		return nil, fmt.Errorf("the SQL of %s does not hold %q once", statement.Query.Name, unsorted)
	}
	changed := *statement.Query
	changed.SQL = strings.Replace(changed.SQL, unsorted, sorted, 1)
	statement.Query = &changed
	return s.Engine.Run(ctx, statement)
}

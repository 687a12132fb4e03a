package bigquery

import (
	"context"
	"time"

	"savedq/sqlq"
)

// blameTimeout bounds the search for the argument at fault.
const blameTimeout = 5 * time.Second

// blameArguments returns the error of the argument that makes a statement fail, or nil if
// that is not proven. Its probes are dry runs: they cost nothing and read no data, so
// what fails there fails because of arguments. They do not evaluate expressions, so a
// text that only the job fails to convert is not found. One search runs at a time.
func (e *Engine) blameArguments(ctx context.Context, statement sqlq.Statement) *sqlq.Error {
	select {
	case e.blaming <- struct{}{}:
		defer func() { <-e.blaming }()
	default:
		return nil
	}
	neutral, err := sampleArgs(statement.Query, statement.Now)
	ctx, stop := context.WithTimeout(ctx, blameTimeout)
	defer stop()
	probe := func(probed sqlq.Statement) sqlq.Probe {
		checked, err := e.requestDryRun(ctx, probed)
		if err == nil && checked.LastStatus() != nil {
			err = checked.LastStatus().Err()
		}
		found, _ := failureOf(err)
		switch {
		case err == nil:
			return sqlq.ProbeWorks
		case found.reason == "invalidQuery":
			return sqlq.ProbeFails
		}
		return sqlq.ProbeUndecided
	}
	if err == nil {
		return statement.BlameArguments([][]sqlq.Arg{neutral}, probe)
	}
	return nil // the defaults of the saved query do not fit, which is not the caller's fault
}

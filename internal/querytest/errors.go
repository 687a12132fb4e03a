package querytest

import (
	"context"
	"errors"
	"fmt"

	"savedq/sqlq"
)

// dataError is a failure to store the data of a case. It is not the saved query's.
type dataError struct{ err error }

func (e *dataError) Error() string { return e.err.Error() }
func (e *dataError) Unwrap() error { return e.err }

// atCase returns an error with the place of its case, unless it has one.
func atCase(c *Case, err error) error {
	var placed sqlq.FileErrors
	if errors.As(err, &placed) {
		return err
	}
	return fmt.Errorf("%s: case %q cannot be run: %w", c.Place, c.Name, err)
}

// callersError returns the error that a caller gets. It reports false for a failure of the
// test itself.
func callersError(err error) (*sqlq.Error, bool) {
	var data *dataError
	if errors.As(err, &data) || errors.Is(err, context.Canceled) {
		return nil, false
	}
	return sqlq.AsError(err), true
}

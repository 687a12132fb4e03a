package querytest

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"savedq/sqlq"
)

// Backend runs statements on tables that hold the data of a case and nothing else.
type Backend interface {
	Run(ctx context.Context, statement sqlq.Statement, data Data) (*sqlq.Result, error)
	// TypedMetadata reports whether metadata is stored in typed columns. Then an object has all
	// fields of its table, so that a field that is null or an empty list equals a missing one,
	// and a NULL list equals an empty one.
	TypedMetadata() bool
}

// Outcome is what came of a case.
type Outcome struct {
	Case *Case
	// Differences are the differences from what the case expects, one a line; none if it
	// passes.
	Differences []string
	// Result is what the saved query gives, or Err its error.
	Result *sqlq.Result
	Err    *sqlq.Error
	// State is what the condition of the case's alert says; empty without an alert.
	State    string
	Duration time.Duration
}

// Passed reports whether the case passes.
func (o *Outcome) Passed() bool { return len(o.Differences) == 0 }

// Run runs a case. The error is a [sqlq.FileErrors] if the data of the case cannot be stored.
func Run(ctx context.Context, backend Backend, query *sqlq.SavedQuery, c *Case, clock func() time.Time) (*Outcome, error) {
	outcome := &Outcome{Case: c}
	undeclared := undeclaredParams(query, c.Params)
	if undeclared == "" {
		undeclared = undeclaredAlert(query, c.Alert)
	}
	if undeclared != "" {
		outcome.Differences = []string{undeclared}
		return outcome, nil
	}
	started := clock()
	result, err := run(ctx, backend, query, c)
	outcome.Duration = clock().Sub(started)
	if err != nil {
		coded, ok := callersError(err)
		if !ok {
			return nil, atCase(c, err)
		}
		outcome.Err = coded
	}
	outcome.Result = result
	switch {
	case c.Want == nil:
		outcome.Differences = []string{"has no expect; --update records what the saved query gives now"}
	case c.Want.Error != nil:
		outcome.Differences = compareError(c.Want.Error, outcome.Err)
	case outcome.Err != nil:
		outcome.Differences = []string{fmt.Sprintf("expected %s, got the error %s: %s", countRows(len(c.Want.Rows)), outcome.Err.Code, publicText(outcome.Err))}
	case c.Want.Rows != nil:
		outcome.Differences = compareRows(c.Want, result, backend.TypedMetadata())
	}
	if alert := alertOf(query, c.Alert); alert != nil && outcome.Err == nil {
		outcome.State = stateOf(alert.When.Check(result, c.Now))
		if c.Want != nil && c.Want.State != "" && c.Want.State != outcome.State {
			outcome.Differences = append(outcome.Differences,
				fmt.Sprintf("expected the alert %s to be %s after enough checks, but it is %s: %s", c.Alert, c.Want.State, outcome.State, alert.When.String()))
		}
	}
	if outcome.Err == nil && len(outcome.Differences) == 0 {
		if outcome.Differences, err = compareBuckets(ctx, backend, query, c, result); err != nil {
			return nil, atCase(c, err)
		}
	}
	return outcome, nil
}

func run(ctx context.Context, backend Backend, query *sqlq.SavedQuery, c *Case) (*sqlq.Result, error) {
	args, err := bind(query, c)
	if err == nil {
		err = query.CheckRelative(args, c.Now)
	}
	if err != nil {
		return nil, err
	}
	result, err := backend.Run(ctx, sqlq.NewStatement(query, args, c.Now), c.Data)
	if err != nil {
		return nil, err
	}
	if err := result.Check(); err != nil {
		return nil, err
	}
	return result, nil
}

// undeclaredParams returns what is wrong with parameters that the saved query does not
// declare. A server ignores them (D8), but in a case they are mistakes.
func undeclaredParams(query *sqlq.SavedQuery, params map[string][]string) string {
	names := query.ParamNames()
	for name := range params {
		if !slices.Contains(names, name) {
			return fmt.Sprintf("gives the parameter %q, but the parameters of %s are: %s", name, query.Name, strings.Join(names, ", "))
		}
	}
	return ""
}

func compareError(want *ExpectedError, got *sqlq.Error) []string {
	if got == nil {
		return []string{fmt.Sprintf("expected the error %s, got rows", want.Code)}
	}
	var lines []string
	if got.Code != want.Code {
		lines = append(lines, fmt.Sprintf("expected the error %s, got %s: %s", want.Code, got.Code, publicText(got)))
	}
	if text := got.PublicText(got.Param); !strings.Contains(text, want.Message) {
		lines = append(lines, fmt.Sprintf("expected a message with %q, got %q", want.Message, text))
	}
	return lines
}

// publicText returns the message for callers, and for a server's error what its log has.
func publicText(err *sqlq.Error) string {
	if err.Code.IsServerFault() {
		return err.Error()
	}
	return err.PublicText(err.Param)
}

func countRows(count int) string {
	if count == 1 {
		return "1 row"
	}
	return fmt.Sprintf("%d rows", count)
}

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

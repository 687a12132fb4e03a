package worker

import (
	"encoding/gob"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"savedq/sqlq"
)

// request is a run of a statement.
type request struct {
	// Query is the saved query as JSON, which leaves out what only the server uses.
	Query []byte
	Args  []sqlq.Arg
	Now   time.Time
	Range sqlq.Range
}

//nolint:gochecknoinits // The values of arguments that gob does not know.
func init() {
	gob.Register(time.Time{})
	gob.Register(sqlq.Decimal(""))
	gob.Register([]any{})
}

// newRequest returns the request for a statement.
func newRequest(statement sqlq.Statement) (*request, error) {
	encoded, err := encodeQuery(statement.Query)
	if err != nil {
		return nil, err
	}
	return &request{Query: encoded, Args: statement.Args, Now: statement.Now, Range: statement.Range}, nil
}

// encodeQuery encodes what an engine uses of a saved query.
func encodeQuery(query *sqlq.SavedQuery) ([]byte, error) {
	needed := *query
	needed.Extension, needed.Alerts, needed.Pages, needed.Marks = nil, nil, nil, nil
	needed.Params = make([]sqlq.Param, len(query.Params))
	for i, param := range query.Params {
		param.Extension, param.Min, param.Max, param.Fallback = nil, nil, nil, nil
		needed.Params[i] = param
	}
	needed.Columns = withoutExtensions(query.Columns)
	if query.Callers != nil {
		callers := *query.Callers
		callers.Saved = nil
		needed.Callers = &callers
	}
	return json.Marshal(needed)
}

func withoutExtensions(columns []sqlq.Column) []sqlq.Column {
	without := make([]sqlq.Column, len(columns))
	for i, column := range columns {
		column.Extension, column.Fields = nil, withoutExtensions(column.Fields)
		without[i] = column
	}
	return without
}

// statement returns the statement of a request.
func (r *request) statement() (sqlq.Statement, error) {
	query := new(sqlq.SavedQuery)
	if err := json.Unmarshal(r.Query, query); err != nil {
		return sqlq.Statement{}, fmt.Errorf("read a saved query: %w", err)
	}
	if len(r.Args) != len(query.Params) {
		return sqlq.Statement{}, fmt.Errorf("%d arguments for %d parameters", len(r.Args), len(query.Params))
	}
	return sqlq.Statement{Query: query, Args: r.Args, Now: r.Now, Range: r.Range}, nil
}

// message is a part of a response: its beginning, some rows, or the end.
type message struct {
	// Begins is true in the first one. It shows which requests a process had begun to work on when it died.
	Begins  bool
	Rows    int
	Columns []vector
	End     *end
}

// end ends a response. If it is missing, the process has died.
type end struct {
	Truncated bool
	Failure   *failure
}

// failure is an error of a run.
type failure struct {
	Code           sqlq.Code
	Param, Message string
	Place          sqlq.Place
	RetryAfter     time.Duration
	// Cause is the text of the cause, for the log.
	Cause string
	// EngineFault, Untranslated and Outdated report whether the errors of these names are in the cause.
	EngineFault, Untranslated, Outdated bool
}

// newFailure returns an error as it is sent.
func newFailure(err error) *failure {
	coded := sqlq.AsError(err)
	sent := &failure{
		Code: coded.Code, Param: coded.Param, Message: coded.Message, Place: coded.Place, RetryAfter: coded.RetryAfter,
		EngineFault: errors.Is(err, sqlq.ErrEngineFault), Untranslated: errors.Is(err, sqlq.ErrUntranslated), Outdated: errors.Is(err, ErrOutdated),
	}
	if cause := coded.Unwrap(); cause != nil {
		sent.Cause = cause.Error()
	}
	return sent
}

// err returns the error that was sent.
func (f *failure) err() *sqlq.Error {
	coded := &sqlq.Error{Code: f.Code, Param: f.Param, Message: f.Message, Place: f.Place, RetryAfter: f.RetryAfter}
	cause := &remoteError{text: f.Cause}
	for known, isIn := range map[error]bool{sqlq.ErrEngineFault: f.EngineFault, sqlq.ErrUntranslated: f.Untranslated, ErrOutdated: f.Outdated} {
		if isIn {
			cause.is = append(cause.is, known)
		}
	}
	if f.Cause == "" && cause.is == nil {
		return coded
	}
	return coded.WithCause(cause)
}

// leavesDoubt reports whether the instance of DuckDB may be of no more use: it has failed, or it refuses to work since it
// failed on something else.
func (f *failure) leavesDoubt() bool {
	return f.EngineFault || f.Code == sqlq.Unavailable && f.RetryAfter == 0
}

// isOfMemory reports whether DuckDB has used up its memory, perhaps for other statements.
func (f *failure) isOfMemory() bool {
	return f.Code == sqlq.ResourceExhausted && strings.Contains(f.Cause, "Out of Memory Error")
}

// remoteError is the cause of an error of the other process.
type remoteError struct {
	text string
	is   []error
}

// Error returns the text of the cause.
func (e *remoteError) Error() string { return e.text }

// Unwrap returns the errors that were in the cause.
func (e *remoteError) Unwrap() []error { return e.is }

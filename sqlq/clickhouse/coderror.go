package clickhouse

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"savedq/sqlq"
)

// codedError returns a failure with the code and the message for the caller (D15). ClickHouse's message is the cause, for
// the log.
func (e *Engine) codedError(query *sqlq.SavedQuery, err error) error {
	err = fmt.Errorf("run %s: %w", query.Name, err)
	var coded *sqlq.Error
	if errors.As(err, &coded) {
		return err
	}
	found, _ := failureOf(err)
	pattern := patternParam(query)
	switch {
	case found.code == tooManyBytes || found.code == tooManyRows:
		return sqlq.Errorf(sqlq.ResourceExhausted, "the query would read more than %s, the most that one query may read; ask for a shorter time range",
			sqlq.FormatBytes(e.config.MaxBytes)).WithCause(err)
	case found.code == tooManyRowsOrBytes:
		return sqlq.ResultTooLarge(query.ResultBytes()).WithCause(err)
	case found.code == memoryLimitExceeded:
		return sqlq.Errorf(sqlq.ResourceExhausted, "the query needs more memory than one query may take; ask for a shorter time range").WithCause(err)
	case found.code == quotaExceeded:
		return sqlq.Errorf(sqlq.Unavailable, "a quota of ClickHouse is exceeded; try again later").WithCause(err)
	case isSetup(found):
		return notSetUp(sqlq.Unavailable).WithCause(err)
	case isMissing(found):
		return notSetUp(sqlq.Internal).WithCause(err)
	case found.code == cannotCompileRegexp && pattern != "":
		return sqlq.ParamErrorf(pattern, "is not a regular expression that the engine accepts; use a simpler one").WithCause(err)
	case found.code == timeoutExceeded, found.code == tooSlow, errors.Is(err, errTimeout), errors.Is(err, context.DeadlineExceeded):
		return sqlq.Errorf(sqlq.DeadlineExceeded, "the query took longer than %s; ask for a shorter time range or try again later", e.config.Timeout).WithCause(err)
	case isTransient(err), found.code == queryWasCancelled: // by an administrator: a caller has left before
		return sqlq.Errorf(sqlq.Unavailable, "ClickHouse is overloaded or unavailable; try again in a moment").WithCause(err)
	case isNotClickHouse(err):
		return notSetUp(sqlq.Unavailable).WithCause(err)
	case isMistake(found) && query.Callers != nil:
		return e.callersMistake(query, found).WithCause(err)
	}
	return err // without a code it is INTERNAL
}

// callersMistake returns the error of SQL of a caller (D40).
func (e *Engine) callersMistake(query *sqlq.SavedQuery, found failure) *sqlq.Error {
	mistake := e.mistake(query, found)
	return sqlq.CallersMistake(sqlq.Place{Line: mistake.Line, Column: mistake.Column}, mistake.Message)
}

// notSetUp is the error of a query that only an operator can make work.
func notSetUp(code sqlq.Code) *sqlq.Error {
	return sqlq.Errorf(code, "ClickHouse is not set up correctly; the server's log has the cause under this request's id")
}

// patternParam returns the parameter that is a regular expression; empty if there is none.
func patternParam(query *sqlq.SavedQuery) string {
	for _, param := range query.Params {
		if param.Regex {
			return param.Name
		}
	}
	return ""
}

// setupError explains in one line a failure to reach the server, the database or a table. It returns other errors
// unchanged.
func (c Config) setupError(err error) error {
	found, answered := failureOf(err)
	explain := func(format string, args ...any) error {
		return &setupError{line: fmt.Sprintf(format, args...), cause: err}
	}
	switch {
	case !answered && isNetwork(err):
		return explain("ClickHouse cannot be reached at %s; check --clickhouse-addr, whose port must be that of HTTP, such as 8123, and the network (%s)", c.where(), lastLine(err))
	case isNotClickHouse(err):
		return explain("what answers at %s is not ClickHouse's HTTP interface; check --clickhouse-addr, whose port must be that of HTTP, such as 8123, and --clickhouse-tls (%s)", c.where(), lastLine(err))
	case found.code == authenticationFailed || found.code == unknownUser || found.code == wrongPassword || found.code == requiredPassword:
		return explain("ClickHouse does not accept the user and the password; check --clickhouse-user and --clickhouse-password-file")
	case found.code == unknownDatabase:
		return explain("ClickHouse has no such database; correct --clickhouse-database (it reports: %s)", found.message)
	case found.code == unknownTable:
		return explain("ClickHouse has no such table; create it or a view of that name, as docs/clickhouse.md shows (it reports: %s)", found.message)
	case found.code == accessDenied:
		return explain("the user of ClickHouse is not allowed to read the tables; GRANT SELECT on them (it reports: %s)", found.message)
	case isSetup(found):
		return explain("ClickHouse does not let its user set the limits of queries; allow readonly = 2 in the user's profile (it reports: %s)", found.message)
	case isTransient(err):
		return explain("ClickHouse is failing; try again (it reports: %s)", found.message)
	}
	return err
}

// setupError returns in one line what an operator has to correct, and how.
type setupError struct {
	line  string
	cause error
}

// Error returns only the line.
func (e *setupError) Error() string { return e.line }

// Unwrap returns the cause.
func (e *setupError) Unwrap() error { return e.cause }

// where returns the addresses of the server.
func (c Config) where() string {
	if options, err := c.options(); err == nil {
		return strings.Join(options.Addr, ", ")
	}
	return strings.Join(c.Addresses, ", ")
}

// lastLine returns the innermost reason of an error of the network, without the URL of the request.
func lastLine(err error) string {
	for {
		inner := errors.Unwrap(err)
		if inner == nil {
			return err.Error()
		}
		err = inner
	}
}

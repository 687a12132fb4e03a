package bigquery

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"regexp"
	"strconv"
	"strings"

	"savedq/sqlq"
)

// codedError returns a failure with the code and the message for the caller (D15). The
// service's message is the cause, for the log. Errors that the caller caused must not be
// passed to it.
func (e *Engine) codedError(query *sqlq.SavedQuery, err error) error {
	err = fmt.Errorf("run %s: %w", query.Name, err)
	found, _ := failureOf(err)
	pattern := patternParam(query)
	switch {
	case isTransient(err), errors.Is(err, errNotAccepted):
		if pattern != "" && blamesPattern(found.message) {
			return patternError(pattern).WithCause(err)
		}
		return sqlq.Errorf(sqlq.Unavailable, "the data warehouse is overloaded or unavailable; try again in a moment").WithCause(err)
	case found.reason == "bytesBilledLimitExceeded":
		return sqlq.Errorf(sqlq.ResourceExhausted, "the query would read %s, but one query may read %s at most; ask for a shorter time range",
			requiredBytes(found.message), sqlq.FormatBytes(e.config.MaxBytesBilled)).WithCause(err)
	case found.reason == "responseTooLarge":
		return sqlq.ResultTooLarge(sqlq.MaxResultBytes).WithCause(err)
	case found.reason == "quotaExceeded":
		return sqlq.Errorf(sqlq.Unavailable, "a quota of the data warehouse is exceeded; try again later").WithCause(err)
	case isSetup(found) || isCredentials(err):
		return notSetUp(sqlq.Unavailable).WithCause(err)
	case isMissing(found):
		return notSetUp(sqlq.Internal).WithCause(err)
	case found.reason == "invalidQuery" && query.Callers != nil:
		return e.callersMistake(query, err).WithCause(err)
	case found.reason == "invalidQuery" && pattern != "" && blamesPattern(found.message):
		return patternError(pattern).WithCause(err)
	case found.reason == "timeout", found.reason == "stopped" && strings.Contains(found.message, "timed out"),
		errors.Is(err, errJobTimeout), errors.Is(err, context.DeadlineExceeded):
		return sqlq.Errorf(sqlq.DeadlineExceeded, "the query took longer than %s; ask for a shorter time range or try again later", e.config.JobTimeout).WithCause(err)
	}
	return err // without a code it is INTERNAL
}

// callersMistake returns the error of SQL of a caller (D40).
func (e *Engine) callersMistake(query *sqlq.SavedQuery, err error) *sqlq.Error {
	var mistakes sqlq.FileErrors
	if !errors.As(e.compileError(query, err), &mistakes) {
		return sqlq.CallersMistake(sqlq.Place{}, "the SQL is not valid")
	}
	return sqlq.CallersMistake(sqlq.Place{Line: mistakes[0].Line, Column: mistakes[0].Column}, mistakes[0].Message)
}

// notSetUp is the error of a query that only an operator can make work.
func notSetUp(code sqlq.Code) *sqlq.Error {
	return sqlq.Errorf(code, "the data warehouse is not set up correctly; the server's log has the cause under this request's id")
}

// isSetup reports whether no query can run because of the setup: credentials, billing or a
// disabled API.
func isSetup(found failure) bool {
	switch found.reason {
	case "authError", "required", "invalidUser", "billingNotEnabled", "accessNotConfigured", "SERVICE_DISABLED":
		return true
	}
	return found.status == http.StatusUnauthorized
}

// isMissing reports whether a table is missing, or the permission to read it. Other queries
// may work.
func isMissing(found failure) bool {
	switch found.reason {
	case "notFound", "accessDenied", "forbidden", "insufficientPermissions":
		return true
	}
	return false
}

// requiredBytes returns the estimate of "Query exceeded limit for bytes
// billed: 1000. 10485760 or higher required."
func requiredBytes(message string) string {
	if estimate := regexp.MustCompile(`(\d+) or higher required`).FindStringSubmatch(message); estimate != nil {
		if bytes, err := strconv.ParseInt(estimate[1], 10, 64); err == nil {
			return sqlq.FormatBytes(bytes)
		}
	}
	return "more"
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

// blamesPattern reports whether a message is about a regular expression that cannot
// be read, and not merely about a function that takes one.
func blamesPattern(message string) bool {
	return regexp.MustCompile(`(?i)(parse|parsing|invalid|compile|compiling) (regular expression|regexp?|pattern)\b`).MatchString(message)
}

// patternError blames an expression that Go accepts and the service does not.
func patternError(param string) *sqlq.Error {
	return sqlq.ParamErrorf(param, "is not a regular expression that the engine accepts; use a simpler one")
}

package clickhouse

import (
	"errors"
	"io"
	"net"
	"net/url"
	"regexp"
	"slices"
	"strings"

	clickhouse "github.com/ClickHouse/clickhouse-go/v2"
)

// Codes of ClickHouse's errors, of https://github.com/ClickHouse/ClickHouse/blob/master/src/Common/ErrorCodes.cpp.
const (
	notFoundColumn       = 10 // NOT_FOUND_COLUMN_IN_BLOCK
	unknownIdentifier    = 47
	notImplemented       = 48
	unknownTable         = 60
	syntaxError          = 62
	unknownDatabase      = 81
	unknownSetting       = 115
	tooManyRows          = 158
	timeoutExceeded      = 159
	tooSlow              = 160
	readonly             = 164
	unknownUser          = 192
	wrongPassword        = 193
	requiredPassword     = 194
	quotaExceeded        = 201
	tooManyQueries       = 202
	memoryLimitExceeded  = 241
	tooManyBytes         = 307
	queryWasCancelled    = 394
	tooManyRowsOrBytes   = 396
	cannotCompileRegexp  = 427
	constraintViolation  = 452
	unknownParameter     = 456
	accessDenied         = 497
	authenticationFailed = 516
)

// failure is ClickHouse's description of a query that failed.
type failure struct {
	code    int32
	message string
}

// failureOf returns the description in an error; ok is false if ClickHouse has not answered.
func failureOf(err error) (_ failure, ok bool) {
	var found *clickhouse.Exception
	if !errors.As(err, &found) {
		return failure{}, false
	}
	return failure{code: found.Code, message: withoutVersion(found.Message)}, true
}

// raised returns the message of an error that printed GoogleSQL raises; empty for all others.
func raised(found failure) string {
	const throwIf = 395
	if found.code != throwIf {
		return ""
	}
	_, message, _ := strings.Cut(found.message, raisedPrefix)
	message, _, _ = strings.Cut(message, ": while executing ")
	return message
}

// raisedPrefix begins the messages of errors that printed GoogleSQL raises.
const raisedPrefix = "savedq: "

// withoutVersion returns a message without the name of its code and the version of the server, which are behind it.
func withoutVersion(message string) string {
	message = strings.Join(strings.Fields(message), " ")
	return regexp.MustCompile(`\.?( \([A-Z_0-9]+\))?( \(version .*\))?\z`).ReplaceAllString(message, "")
}

// transientCodes are the error codes of a server that is overloaded, restarts, or cannot reach other servers.
func transientCodes() []int32 {
	const (
		cannotScheduleTask  = 439
		networkError        = 210
		socketTimeout       = 209
		allConnectionsFail  = 279
		allReplicasLost     = 415
		noZookeeper         = 225
		keeperException     = 999
		tooManySimultaneous = tooManyQueries
		shutdown            = 236 // ABORTED
		dnsError            = 198
	)
	return []int32{cannotScheduleTask, networkError, socketTimeout, allConnectionsFail, allReplicasLost, noZookeeper, keeperException, tooManySimultaneous, shutdown, dnsError}
}

// isTransient reports whether an error is temporary: the server is overloaded or restarts, or the network fails.
func isTransient(err error) bool {
	if found, ok := failureOf(err); ok {
		return slices.Contains(transientCodes(), found.code)
	}
	return isNetwork(err)
}

// isNotClickHouse reports whether something else than ClickHouse has answered, such as a proxy, or a port that wants TLS.
func isNotClickHouse(err error) bool {
	var ofHTTP *clickhouse.HTTPError
	_, answered := failureOf(err)
	return !answered && errors.As(err, &ofHTTP)
}

// isCorrelated reports whether printed GoogleSQL has a subquery that ClickHouse cannot run, because it reads columns of the query
// around it. ClickHouse finds that late, and says it in several ways. Only the aliases of printed GoogleSQL begin with an @.
func isCorrelated(found failure) bool {
	switch found.code {
	case notImplemented, notFoundColumn:
		return true
	case unknownIdentifier:
		return strings.Contains(found.message, "identifier `@")
	}
	return false
}

// isNetwork reports whether an error is of the network, or of what is between the engine and ClickHouse.
func isNetwork(err error) bool {
	var ofHTTP *clickhouse.HTTPError
	if errors.As(err, &ofHTTP) {
		const lowestOfServers = 500
		return ofHTTP.StatusCode >= lowestOfServers
	}
	var ofURL *url.Error
	var ofNetwork net.Error
	return errors.As(err, &ofURL) || errors.As(err, &ofNetwork) || errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, io.EOF) ||
		errors.Is(err, clickhouse.ErrAcquireConnTimeout)
}

// isSetup reports whether no query can run because of the setup: the user, the password or the settings.
func isSetup(found failure) bool {
	return slices.Contains([]int32{authenticationFailed, unknownUser, wrongPassword, requiredPassword, unknownSetting, constraintViolation, readonly, unknownDatabase}, found.code)
}

// isMissing reports whether a table is missing, or the permission to read it. Other queries may work.
func isMissing(found failure) bool { return found.code == unknownTable || found.code == accessDenied }

// isMistake reports whether the SQL is at fault, and not the server.
func isMistake(found failure) bool {
	return found.code != 0 && !isSetup(found) && !isMissing(found) && !slices.Contains(transientCodes(), found.code) &&
		!slices.Contains([]int32{tooManyRows, timeoutExceeded, tooSlow, quotaExceeded, memoryLimitExceeded, tooManyBytes, queryWasCancelled, tooManyRowsOrBytes}, found.code)
}

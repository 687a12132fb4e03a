package clickhousehttp

import (
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"strings"

	"savedq/internal/http/causes"
	"savedq/internal/http/httperror"
	"savedq/internal/http/httpstatus"
	"savedq/sqlq"
)

// exceptionHeader has the number of an exception. Clients also read it in the text.
const exceptionHeader = "X-ClickHouse-Exception-Code"

// kind is a kind of exceptions of ClickHouse, of those that clients tell apart.
type kind struct {
	number int
	name   string
	code   sqlq.Code
}

//nolint:gochecknoglobals // They are constant.
var (
	unknownFormat  = kind{73, "UNKNOWN_FORMAT", sqlq.InvalidArgument}
	unknownSetting = kind{115, "UNKNOWN_SETTING", sqlq.InvalidArgument}
	badArguments   = kind{36, "BAD_ARGUMENTS", sqlq.InvalidArgument}
	readOnly       = kind{164, "READONLY", sqlq.PermissionDenied}
	tooManyRows    = kind{396, "TOO_MANY_ROWS_OR_BYTES", sqlq.InvalidArgument}
)

// failure is an error with its kind.
type failure struct {
	kind kind
	err  *sqlq.Error
}

func (f *failure) Error() string { return f.err.Error() }

func (f *failure) Unwrap() error { return f.err }

func failuref(of kind, format string, args ...any) error {
	return &failure{of, sqlq.Errorf(of.code, format, args...)}
}

// kindOf returns the kind of an error.
func kindOf(err error) kind {
	if own := new(failure); errors.As(err, &own) {
		return own.kind
	}
	failed := sqlq.AsError(err)
	switch failed.Code {
	case sqlq.InvalidArgument:
		if failed.Param != "" && failed.Param != sqlq.SQLParam {
			return kind{457, "BAD_QUERY_PARAMETER", failed.Code}
		}
		return kind{62, "SYNTAX_ERROR", failed.Code}
	case sqlq.Unauthenticated:
		return kind{516, "AUTHENTICATION_FAILED", failed.Code}
	case sqlq.PermissionDenied:
		return kind{497, "ACCESS_DENIED", failed.Code}
	case sqlq.NotFound, sqlq.MethodNotAllowed:
		return kind{48, "NOT_IMPLEMENTED", failed.Code}
	case sqlq.ResourceExhausted:
		return kind{201, "QUOTA_EXCEEDED", failed.Code}
	case sqlq.Cancelled:
		return kind{394, "QUERY_WAS_CANCELLED", failed.Code}
	case sqlq.Unavailable:
		return kind{202, "TOO_MANY_SIMULTANEOUS_QUERIES", failed.Code}
	case sqlq.DeadlineExceeded:
		return kind{159, "TIMEOUT_EXCEEDED", failed.Code}
	case sqlq.Internal:
	}
	return kind{1002, "UNKNOWN_EXCEPTION", failed.Code}
}

// Serves reports whether a path is one of this interface.
func Serves(path string) bool { return path == Path || strings.HasPrefix(path, Path+"/") }

// WriteError writes an error as ClickHouse writes an exception.
func WriteError(errors *httperror.Writer, w http.ResponseWriter, r *http.Request, err error) {
	err = sqlq.ErrorIn(r.Context(), err)
	failed, of := sqlq.AsError(err), kindOf(err)
	errors.Log(r, err)
	message := failed.PublicText(failed.Param)
	if cause := causes.Of(r.Context(), failed); cause != "" {
		message += ": " + cause
	}
	body := fmt.Sprintf("Code: %d. DB::Exception: %s. (%s)\n", of.number, strings.TrimSuffix(message, "."), of.name)
	httpstatus.SetRetryAfter(w.Header(), httpstatus.RetryAfter(failed))
	header := w.Header()
	header.Set("Cache-Control", "no-store")
	header.Set("Content-Type", "text/plain; charset=UTF-8")
	header.Set("Content-Length", strconv.Itoa(len(body)))
	header.Set(exceptionHeader, strconv.Itoa(of.number))
	w.WriteHeader(httpstatus.OfError(err))
	_, _ = w.Write([]byte(body)) //nolint:gosec // It is no page, as its content type says.
}

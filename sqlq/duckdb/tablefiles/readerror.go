package tablefiles

import (
	"errors"

	"savedq/sqlq"
)

// ReadError says what is wrong with the files of a table, with names of files and values. It is for the log and for who looks after the
// files; callers get only its [Kind], because the name of a file can name a project that is not theirs (D53).
type ReadError struct {
	table  *sqlq.Table
	detail string
	cause  error
}

// Kind is what callers learn of it.
type Kind string

// The kinds of mistakes.
const (
	// Missing means that a pattern finds no files, or cannot be used.
	Missing Kind = "its files are not where its pattern says"
	// Unreadable means that a file cannot be opened, or is not a regular file where files may be.
	Unreadable Kind = "a file cannot be opened"
	// Columns means that a file does not have the declared columns in types that fit.
	Columns Kind = "a file does not have the columns of the table"
	// Value means that a column cannot hold a value of a file.
	Value Kind = "a file has a value that its column cannot hold exactly"
	// Damaged means that the content of a file is not of its format.
	Damaged Kind = "a file is damaged, not complete, or of another format or encoding"
)

// NewReadError returns the error of a table whose files cannot be read. Its message is the kind; the detail must name no path outside the
// directory of the files. The cause is only for the log, and can be nil.
func NewReadError(table *sqlq.Table, kind Kind, detail string, cause error) *sqlq.Error {
	return sqlq.Errorf(sqlq.Internal, "%s%s", prefix(table), kind).WithCause(&ReadError{table, detail, cause})
}

func prefix(table *sqlq.Table) string {
	return "the files of the table " + table.Name + " cannot be read: "
}

// explained is a cause whose message adds nothing to the detail.
type explained struct{ error }

// Explained returns a cause that the log does not show, because the detail of the error says the same, and more.
func Explained(cause error) error { return explained{cause} }

// Unwrap returns the cause.
func (e explained) Unwrap() error { return e.error }

// Error returns the detail with its cause, for the log.
func (e *ReadError) Error() string {
	if _, isExplained := e.cause.(explained); isExplained || e.cause == nil { //nolint:errorlint // The cause itself, not one of its own.
		return e.detail
	}
	return e.detail + ": " + e.cause.Error()
}

// Unwrap returns the cause.
func (e *ReadError) Unwrap() error { return e.cause }

// Detail returns the message of an error for who looks after the files, or what callers get if there is none.
func Detail(err error) string {
	if mistake, found := errors.AsType[*ReadError](err); found {
		return prefix(mistake.table) + mistake.detail
	}
	return sqlq.AsError(err).Message
}

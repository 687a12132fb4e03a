package googlesql

import (
	"fmt"

	"savedq/sqlq"
)

// Error is a mistake in the SQL, or something in it that cannot be translated.
type Error struct {
	// Offset is where it is in the text, in bytes.
	Offset  int
	Message string
}

func (e *Error) Error() string { return e.Message }

// In returns the mistake with its place in a file, which has the text.
func (e *Error) In(file, text string) *sqlq.FileError {
	line, column := sqlq.LineAndColumn(text, e.Offset)
	return &sqlq.FileError{File: file, Line: line, Column: column, Message: e.Message}
}

// fail stops the translation, by a panic that [Translate] recovers.
func fail[P ~int](offset P, format string, args ...any) {
	panic(&Error{int(offset), fmt.Sprintf(format, args...)})
}

// recoverError sets err to the error of [fail].
func recoverError(err *error) {
	switch failure := recover().(type) {
	case nil:
	case *Error:
		*err = failure
	default:
		panic(failure)
	}
}

package clickhousesql

import (
	"fmt"

	"savedq/sqlq"
	"savedq/sqlq/googlesql"
)

// Error is a mistake in the SQL, or something in it that is not supported, with its place.
type Error = googlesql.Error

// fail stops what reads a text, by a panic that [recoverError] recovers.
func fail[P ~int](at P, format string, args ...any) {
	panic(&Error{Offset: int(at), Message: fmt.Sprintf(format, args...)})
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

// didYouMean returns the end of a message about an unknown name.
func didYouMean(name string, names []string) string {
	if closest := sqlq.ClosestName(name, names); closest != "" {
		return "; did you mean " + closest + "?"
	}
	return ""
}

package sqlq

// SQLParam is the name under which interfaces take the SQL of a caller (D40).
const SQLParam = "sql"

// CallersSQL is the part of a saved query's SQL that a caller wrote (D40).
type CallersSQL struct {
	// Saved is the saved query that was called.
	Saved *SavedQuery
	// From is the offset in the GoogleSQL from which on it is the caller's.
	From int
}

// CallersMistake returns the INVALID_ARGUMENT error of a mistake at a place in the SQL of a caller; the zero place
// is unknown.
func CallersMistake(place Place, message string) *Error {
	if place.Line == 0 || place.Column == 0 {
		return ParamErrorf(SQLParam, "%s", message)
	}
	mistake := ParamErrorf(SQLParam, "line %d, column %d: %s", place.Line, place.Column, message)
	mistake.Place = place
	return mistake
}

// OwnSQLOnly is the message about SQL for a saved query that has no sandbox (D37).
func OwnSQLOnly(param string) string {
	return "this saved query runs its own SQL only; leave " + param + " out"
}

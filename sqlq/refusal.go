package sqlq

import (
	"errors"
	"strings"
)

// refuse returns an error for parameters that are not declared and ask for other rows than the
// saved query returns (D37). All others that are not declared are ignored (D8).
func (q *SavedQuery) refuse(raw map[string][]string) error {
	first, reason := "", ""
	for name, texts := range raw {
		if why := q.refusal(name, texts); why != "" && (reason == "" || name < first) {
			first, reason = name, why
		}
	}
	if reason == "" {
		return nil
	}
	return ParamErrorf(first, "%s", reason)
}

// refusal returns why a parameter is refused; empty if it is not.
func (q *SavedQuery) refusal(name string, texts []string) string {
	base, suffix, _ := strings.Cut(name, "[")
	switch {
	case q.Param(name) != nil, strings.Join(texts, "") == "": // declared, or asks for nothing
		return ""
	case name == SQLParam || name == "lql":
		return OwnSQLOnly(name)
	case suffix == "" || q.Param(base) == nil:
		return ""
	case q.Param(base).Type.IsArray():
		return "repeat the plain name for each value of a list, as in " + base + "=a&" + base + "=b"
	}
	return "use the plain name, as in " + base + "=a"
}

// HasParam reports whether the saved query declares a parameter with the name.
func (q *SavedQuery) HasParam(name string) bool { return q.Param(name) != nil }

// Param returns the parameter with a name, or nil.
func (q *SavedQuery) Param(name string) *Param {
	for i := range q.Params {
		if q.Params[i].Name == name {
			return &q.Params[i]
		}
	}
	return nil
}

// SQLParam is the name under which interfaces take the SQL of a caller (D40).
const SQLParam = "sql"

// CallersSQL is the part of a saved query's SQL that a caller wrote (D40).
type CallersSQL struct {
	// Saved is the saved query that was called.
	Saved *SavedQuery
	// From is the offset in the GoogleSQL from which on it is the caller's.
	From int
	// MostBytes bounds the text of the result, below [MaxResultBytes]; 0 means no further bound.
	MostBytes int
}

// ErrUntranslated is in the cause of an error of SQL of a caller that passed the translation, and that the engine could
// not run.
var ErrUntranslated = errors.New("SQL of a caller passed the translation, and the engine cannot run it")

// ErrEngineFault is in the cause of an error of the engine itself, such as a failed assertion.
var ErrEngineFault = errors.New("the engine failed")

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

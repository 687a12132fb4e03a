package httperror

import (
	"fmt"

	"savedq/internal/text/jsontext"
	"savedq/sqlq"
)

// Body is the body of an error response (D15, D36).
type Body struct {
	Error Detail `json:"error"`
}

// Detail describes an error to its caller.
type Detail struct {
	Code    sqlq.Code `json:"code"`
	Message string    `json:"message"`
	// Argument is the name of the argument that is wrong, if one is.
	Argument string `json:"argument,omitempty"`
	// Line and Column are the place of a mistake in SQL that the caller sent, from 1.
	Line   int `json:"line,omitempty"`
	Column int `json:"column,omitempty"`
	// Cause is the message of the engine, for callers who may see it.
	Cause string `json:"cause,omitempty"`
}

// DetailOf returns what a caller may know of an error.
func DetailOf(err *sqlq.Error) Detail {
	return Detail{Code: err.Code, Message: err.PublicText(err.Param), Argument: err.Param, Line: err.Place.Line, Column: err.Place.Column}
}

// Encode returns a body that can be encoded in JSON.
func Encode(body any) []byte {
	encoded, err := jsontext.Marshal(body)
	if err != nil {
		panic(fmt.Sprintf("httperror: encode a body: %v", err))
	}
	return encoded
}

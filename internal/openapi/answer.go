package openapi

import (
	"embed"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"net/url"

	"savedq/sqlq"
)

// answers are requests to the shipped saved queries, each with the server's response over
// the logs of testdata. The tests send them again, and record the responses with -update.
//
//go:embed answers
var answers embed.FS

// answer is a request with its response.
type answer struct {
	// Query is the query string.
	Query string `json:"query"`
	// Answer is the body.
	Answer json.RawMessage `json:"answer"`

	values url.Values
}

// answerOf returns the recorded response of a saved query, or nil if there is none.
// Examples are never invented.
func answerOf(query *sqlq.SavedQuery) (*answer, error) {
	text, err := answers.ReadFile("answers/" + query.Name + ".json")
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil //nolint:nilnil // None is known.
	}
	if err != nil {
		return nil, err
	}
	known := &answer{}
	if err := json.Unmarshal(text, known); err != nil {
		return nil, fmt.Errorf("read the recorded answer: %w", err)
	}
	known.values, err = url.ParseQuery(known.Query)
	return known, err
}

// value returns the request's value of a parameter, or "".
func (a *answer) value(param string) string {
	if a == nil {
		return ""
	}
	return a.values.Get(param)
}

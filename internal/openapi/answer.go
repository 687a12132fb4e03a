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

// answers are requests to the saved queries that come with savedq, each with what
// the server answered over the logs of testdata. The tests ask again, and record
// them anew with -update.
//
//go:embed answers
var answers embed.FS

// answer is a request with its answer.
type answer struct {
	// Query is the query string.
	Query string `json:"query"`
	// Answer is the body.
	Answer json.RawMessage `json:"answer"`

	values url.Values
}

// answerOf returns an answer of the saved query; nil where none is known: rows that
// nobody has seen are no example.
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

// value is what the request gives for a parameter; empty where it does not.
func (a *answer) value(param string) string {
	if a == nil {
		return ""
	}
	return a.values.Get(param)
}

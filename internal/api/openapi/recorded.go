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

// responses are requests to the shipped saved queries, each with the server's response over
// the logs of testdata. The tests send them again, and record the responses with -update.
//
//go:embed responses
var responses embed.FS

// recordedResponse is a response with its request.
type recordedResponse struct {
	// Query is the query string of the request.
	Query string `json:"query"`
	// Response is the body.
	Response json.RawMessage `json:"response"`

	values url.Values
}

// findRecorded returns the recorded response of a saved query, or nil if there is none.
// Examples are never invented.
func findRecorded(query *sqlq.SavedQuery) (*recordedResponse, error) {
	text, err := responses.ReadFile("responses/" + query.Name + ".json")
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil //nolint:nilnil // None is recorded.
	}
	if err != nil {
		return nil, err
	}
	recorded := &recordedResponse{}
	if err := json.Unmarshal(text, recorded); err != nil {
		return nil, fmt.Errorf("read the recorded response: %w", err)
	}
	recorded.values, err = url.ParseQuery(recorded.Query)
	return recorded, err
}

// value returns the request's value of a parameter, or "".
func (r *recordedResponse) value(param string) string {
	if r == nil {
		return ""
	}
	return r.values.Get(param)
}

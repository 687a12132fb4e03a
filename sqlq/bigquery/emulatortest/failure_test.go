package emulatortest

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"regexp"
)

// failure is how the service says that a request failed.
type failure struct {
	status          int
	reason, message string
}

// Error is the message.
func (f *failure) Error() string { return f.message }

// failureOf reads what the emulator says of a query that failed, and says it as
// BigQuery would. Whatever the emulator cannot run counts as a mistake in the SQL:
// "failed to parse statement: Syntax error: … [at 1:16]" becomes an invalidQuery,
// "Syntax error: … at [1:16]".
func failureOf(response *httptest.ResponseRecorder, job insertedJob) error {
	var body struct {
		Error struct {
			Message string `json:"message"`
		} `json:"error"`
	}
	if err := json.Unmarshal(response.Body.Bytes(), &body); err != nil {
		return &failure{status: http.StatusInternalServerError, reason: "internalError", message: response.Body.String()}
	}
	message := body.Error.Message
	if missing := regexp.MustCompile(`Table not found: ([^\s;]+)`).FindStringSubmatch(message); missing != nil {
		return &failure{
			status: http.StatusNotFound, reason: "notFound",
			message: "Not found: Table " + job.JobReference.Project + ":" + datasetName + "." + missing[1] + " was not found in location US",
		}
	}
	message = regexp.MustCompile(`\A(failed to [^:]+: )+`).ReplaceAllString(message, "")
	message = regexp.MustCompile(`\[at (\d+:\d+)\]\z`).ReplaceAllString(message, "at [$1]")
	return &failure{status: http.StatusBadRequest, reason: "invalidQuery", message: message}
}

// writeFailure responds as BigQuery does to a request that fails.
func writeFailure(w http.ResponseWriter, status int, reason, message string) {
	writeJSON(w, status, map[string]any{"error": map[string]any{
		"code": status, "message": message,
		"errors": []map[string]string{{"reason": reason, "message": message}},
	}})
}

package ingesthttp

import (
	"net/http"
	"strings"

	"savedq/internal/http/httpstatus"
	"savedq/sqlq"
)

// Protocol serves the paths of another log store, whose clients expect its responses.
type Protocol struct {
	// Sends are the paths that clients send events to, and Others all other paths. One that begins with an asterisk has any
	// text in its place. Of the others, one can end in a slash, and matches all paths below it.
	Sends, Others []string
	Handler       http.Handler
	// WriteError writes an error in the form of the protocol.
	WriteError func(w http.ResponseWriter, r *http.Request, err error)
}

// ErrorWriter returns what writes errors of a path in the form of its protocol, or nil if it is of none.
func (h *Handlers) ErrorWriter(path string) func(w http.ResponseWriter, r *http.Request, err error) {
	for _, protocol := range h.Protocols {
		for _, paths := range [][]string{protocol.Sends, protocol.Others} {
			for _, pattern := range paths {
				if matches(pattern, path) {
					return protocol.WriteError
				}
			}
		}
	}
	return nil
}

// matches reports whether a path matches a path of a protocol.
func matches(pattern, path string) bool {
	if suffix, found := strings.CutPrefix(pattern, "*"); found {
		return strings.HasSuffix(path, suffix)
	}
	return path == pattern || strings.HasSuffix(pattern, "/") && strings.HasPrefix(path, pattern)
}

// protocols returns the protocols of other log stores.
func (s *receiver) protocols() []Protocol {
	loki, elasticsearch, datadog, journal := &lokiHandler{s}, &elasticsearchHandler{s}, &datadogHandler{s}, &journalHandler{s}
	return []Protocol{
		{Sends: []string{lokiPush}, Others: []string{"/loki/"}, Handler: loki, WriteError: loki.writeError},
		{
			Sends:  []string{bulkPath, "*" + bulkPath},
			Others: []string{elasticsearchPrefix, elasticsearchPrefix + "/", catHealthPath}, Handler: elasticsearch, WriteError: elasticsearch.writeError,
		},
		{Sends: []string{datadogPath, datadogOldPath}, Handler: datadog, WriteError: datadog.writeError},
		{Sends: []string{journalPath, "*" + journalPath}, Handler: journal, WriteError: journal.writeError},
	}
}

// writeFailure writes an error as a protocol has it. body returns the body for the status and the message.
func (s *receiver) writeFailure(w http.ResponseWriter, r *http.Request, err error, contentType string, body func(status int, message string) []byte) {
	failure := sqlq.AsError(err)
	s.Errors.Log(r, err)
	httpstatus.SetRetryAfter(w.Header(), httpstatus.RetryAfter(failure))
	status := statusOf(err)
	if status == http.StatusMethodNotAllowed {
		w.Header().Set("Allow", http.MethodPost)
	}
	writeBody(w, status, contentType, body(status, failure.PublicText(failure.Param)))
}

const plainText = "text/plain; charset=utf-8"

// writePlainFailure writes an error as text.
func (s *receiver) writePlainFailure(w http.ResponseWriter, r *http.Request, err error) {
	s.writeFailure(w, r, err, plainText, func(_ int, message string) []byte { return []byte(message + "\n") })
}

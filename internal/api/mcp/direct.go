package mcp

import (
	"encoding/json"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"savedq/internal/http/httperror"
	"savedq/internal/http/onewrite"
)

// directCall is a call of a tool as nearly all clients send it.
type directCall struct {
	Version string          `json:"jsonrpc"`
	ID      json.RawMessage `json:"id"`
	Method  string          `json:"method"`
	Params  struct {
		Name      string          `json:"name"`
		Arguments json.RawMessage `json:"arguments"`
	} `json:"params"`
}

// serveCall serves a call of a tool without the SDK, which would open a session for it and takes
// several times as long (ADR 047). It reports false for anything else, which the SDK serves.
func (s *Server) serveCall(w http.ResponseWriter, r *http.Request, call *directCall) bool {
	// The SDK decides about what is unusual. Later versions of the protocol have further headers.
	versions := []string{"", "2025-03-26", "2025-06-18", "2025-11-25"}
	if r.Header.Get("Content-Type") != "application/json" || !slices.Contains(versions, r.Header.Get("MCP-Protocol-Version")) || !acceptsBoth(r.Header) {
		return false
	}
	if call.Version != "2.0" || call.Method != "tools/call" || !isID(call.ID) {
		return false
	}
	var outcome, encoded []byte
	if result, refused := s.call(r.Context(), call.Params.Name, call.Params.Arguments); refused != nil {
		outcome, encoded = []byte(`,"error":`), httperror.Encode(refused)
	} else {
		outcome, encoded = []byte(`,"result":`), result.encoded
	}
	message := slices.Concat([]byte(`{"jsonrpc":"2.0","id":`), call.ID, outcome, encoded, []byte{'}'})
	header := w.Header()
	header["Content-Type"], header["Cache-Control"] = []string{"application/json"}, []string{"no-store"}
	header["Content-Length"] = []string{strconv.Itoa(len(message))}
	w.WriteHeader(http.StatusOK)
	onewrite.Write(w, r, message)
	return true
}

// acceptsBoth reports whether a request accepts both media types, as the protocol requires.
func acceptsBoth(header http.Header) bool {
	accept := strings.Join(header["Accept"], ",")
	return accept == "*/*" || strings.Contains(accept, "application/json") && strings.Contains(accept, "text/event-stream")
}

// isID reports whether JSON is a text or a whole number.
func isID(id json.RawMessage) bool {
	if len(id) > 0 && id[0] == '"' {
		return utf8.Valid(id)
	}
	_, err := strconv.ParseInt(string(id), 10, 64)
	return err == nil
}

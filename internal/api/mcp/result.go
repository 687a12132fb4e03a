package mcp

import (
	"context"
	"encoding/json"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"savedq/internal/http/causes"
	"savedq/internal/http/httperror"
	"savedq/sqlq"
)

// sinceResultTypes is the first version of the protocol whose results say their type.
const sinceResultTypes = "2026-07-28"

// toolResult is a result whose JSON is already encoded. The SDK would encode cached rows again for
// each call.
type toolResult struct {
	*sdk.CallToolResult

	encoded []byte
}

// MarshalJSON returns the JSON, with what the SDK has set in _meta.
func (r *toolResult) MarshalJSON() ([]byte, error) {
	if len(r.Meta) == 0 {
		return r.encoded, nil
	}
	meta, err := json.Marshal(r.Meta)
	return append(append(append([]byte(`{"_meta":`), meta...), ','), r.encoded[1:]...), err
}

// in returns the result as a version of the protocol has it.
func (r *toolResult) in(version string) *toolResult {
	if version >= sinceResultTypes {
		r.encoded = append(r.encoded[:len(r.encoded)-1], `,"resultType":"complete"}`...)
	}
	return r
}

// newResult returns the result of a call: the JSON of a string for models and, unless it is nil, of
// an object for programs.
func newResult(text, structured []byte, isError bool) *toolResult {
	const overhead = 128
	encoded := make([]byte, 0, len(text)+len(structured)+overhead)
	encoded = append(encoded, `{"content":[{"type":"text","text":`...)
	encoded = append(append(encoded, text...), "}]"...)
	if structured != nil {
		encoded = append(append(encoded, `,"structuredContent":`...), structured...)
	}
	if isError {
		encoded = append(encoded, `,"isError":true`...)
	}
	return &toolResult{CallToolResult: &sdk.CallToolResult{IsError: isError}, encoded: append(encoded, '}')}
}

// failure returns an error as a result, in the form of an error over REST (D36), so that the model
// can change the call. The log has the cause of a server error.
func (s *Server) failure(ctx context.Context, err error) *toolResult {
	failure := sqlq.AsError(err)
	s.config.Errors.LogAt(ctx, Path, err)
	detail := httperror.DetailOf(failure)
	detail.Cause = causes.Of(ctx, failure)
	body := httperror.Encode(httperror.Body{Error: detail})
	return newResult(sqlq.AppendValue(nil, sqlq.String, string(body)), nil, true)
}

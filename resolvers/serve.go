package resolvers

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"strconv"

	"github.com/99designs/gqlgen/graphql"
	"github.com/99designs/gqlgen/graphql/executor"
	"github.com/vektah/gqlparser/v2/gqlerror"
)

// handler carries GraphQL over GET and POST. It stands in the place of gqlgen's
// server and transports, with the same statuses, because theirs quote the request
// and name Go's types in their errors, ignore what follows the JSON of a body, and
// escape answers for HTML, which would change metadata on its way.
type handler struct {
	executor *executor.Executor
}

// ServeHTTP answers one request.
func (h *handler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	mediaType := responseMediaType(r.Header.Values("Accept"))
	w.Header().Set("Content-Type", mediaType+"; charset=utf-8")
	ctx := graphql.StartOperationTrace(r.Context())
	status, response := h.answer(ctx, w, r, mediaType)
	body, err := encode(response)
	if err != nil { // an engine gave metadata that is no JSON
		status = http.StatusInternalServerError
		body, _ = encode(h.failure(ctx, fmt.Errorf("encode the response: %w", err)))
	}
	w.Header().Set("Content-Length", strconv.Itoa(len(body)))
	w.WriteHeader(status)
	_, _ = w.Write(body) //nolint:gosec // It is JSON, and its type says so. Who has gone needs no answer.
}

// answer runs a request. A panic outside of any field ends here; one inside of a
// field is that field's error.
func (h *handler) answer(ctx context.Context, w http.ResponseWriter, r *http.Request, mediaType string) (status int, response *graphql.Response) {
	defer func() {
		if reason := recover(); reason != nil {
			status, response = http.StatusInternalServerError, h.failure(ctx, recovered(ctx, reason))
		}
	}()
	params, refused := readRequest(w, r)
	if refused != nil {
		return refused.status, h.failure(ctx, refused.err)
	}
	operation, errors := h.executor.CreateOperationContext(ctx, params)
	if len(errors) > 0 {
		return documentErrorStatus(mediaType), h.executor.DispatchError(graphql.WithOperationContext(ctx, operation), errors)
	}
	responses, operationCtx := h.executor.DispatchOperation(ctx, operation)
	response = responses(operationCtx)
	if response == nil { // the context ended before anything was run
		response = h.failure(operationCtx, operationCtx.Err())
	}
	return http.StatusOK, response
}

// failure is a response without data.
func (h *handler) failure(ctx context.Context, err error) *graphql.Response {
	return h.executor.DispatchError(ctx, gqlerror.List{gqlerror.Wrap(err)})
}

// documentErrorStatus is the status of a request whose document or variables are
// refused.
func documentErrorStatus(mediaType string) int {
	if mediaType == graphqlMediaType {
		return http.StatusBadRequest
	}
	return http.StatusUnprocessableEntity
}

// encode writes a response as JSON. Where nothing was run there is no data, which
// differs from data that is null.
func encode(response *graphql.Response) ([]byte, error) {
	var body bytes.Buffer
	encoder := json.NewEncoder(&body)
	encoder.SetEscapeHTML(false)
	err := encoder.Encode(struct {
		Errors     gqlerror.List   `json:"errors,omitempty"`
		Data       json.RawMessage `json:"data,omitempty"`
		Extensions map[string]any  `json:"extensions,omitempty"`
	}{response.Errors, response.Data, response.Extensions})
	return body.Bytes(), err
}

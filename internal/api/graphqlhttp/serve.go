package graphqlhttp

import (
	"bytes"
	"context"
	"net/http"
	"time"

	"github.com/99designs/gqlgen/graphql"
	"github.com/99designs/gqlgen/graphql/executor"
	"github.com/vektah/gqlparser/v2/gqlerror"

	"savedq/internal/api/graphqlrules"
	"savedq/internal/http/httpcache"
	"savedq/internal/http/httpstatus"
	"savedq/resolvers"
	"savedq/sqlq"
)

// handler serves GraphQL over GET and POST. It replaces gqlgen's server and transports,
// with the same statuses, because those quote the request and name Go's types in errors,
// ignore what follows the JSON of a body, and escape responses for HTML, which would
// change metadata. It also serves cached responses without calling gqlgen.
type handler struct {
	Config

	executor  *executor.Executor
	bodies    *requestBodies
	documents *graphqlrules.Documents
	// bound serves callers with bound parameters; nil if there are none.
	bound *handler
}

// forCaller returns the handler for the caller of a request.
func (h *handler) forCaller(ctx context.Context) *handler {
	if h.bound != nil && h.Bound(ctx) {
		return h.bound
	}
	return h
}

// ServeHTTP serves one request.
func (h *handler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if isWebSocket(r) {
		h.serveWebSocket(w, r)
		return
	}
	mediaType, acceptable := responseMediaType(r.Header["Accept"])
	if !acceptable && acceptsEvents(r.Header["Accept"]) {
		h.serveEvents(w, r)
		return
	}
	if !acceptable {
		write(w, r, mediaType, h.rejected(r.Context(), rejectAccept()))
		return
	}
	response := h.forCaller(r.Context()).respond(w, r, mediaType)
	if response.subscription != nil && acceptsEvents(r.Header["Accept"]) {
		h.streamEvents(w, r, response.subscription)
		return
	}
	write(w, r, mediaType, response)
}

// latest returns the handler that serves requests now.
func (h *handler) latest() *handler {
	if h.Streams.Current == nil {
		return h
	}
	return h.Streams.Current().(*handler) // as documented there
}

// respond returns the response to a request. It recovers panics outside of fields; a
// panic inside a field is that field's error.
func (h *handler) respond(w http.ResponseWriter, r *http.Request, mediaType string) (response httpResponse) {
	ctx := r.Context()
	defer func() {
		if reason := recover(); reason != nil {
			response = h.failure(ctx, http.StatusInternalServerError, recovered(ctx, reason))
		}
	}()
	request, rejected := h.readRequest(w, r)
	if rejected == nil {
		rejected = h.completeDocument(ctx, request, mediaType)
	}
	if rejected != nil {
		return h.rejected(ctx, rejected)
	}
	key, noCache := request.key(h.Version, mediaType), httpcache.NoCache(r)
	if head, responses := h.Runner.Encoded(ctx, key, noCache); head != nil {
		h.rememberDocument(ctx, request)
		return httpResponse{status: http.StatusOK, head: head, responses: responses}
	}
	response = h.run(graphql.StartOperationTrace(ctx), request, mediaType, noCache)
	if response.cacheable() {
		response.head.Key = key
		h.Runner.PutEncoded(ctx, response.head, response.responses)
	}
	return response
}

// run validates a request and lets gqlgen run it.
func (h *handler) run(ctx context.Context, request *graphqlRequest, mediaType string, noCache bool) httpResponse {
	document, errors := h.documents.Get(ctx, request.Document, request.OperationName)
	if len(errors) > 0 {
		return h.rejectedDocument(graphql.WithOperationContext(ctx, &graphql.OperationContext{Doc: document}), mediaType, errors)
	}
	if isSubscription(document, request) {
		response := h.rejected(ctx, rejectSubscription())
		response.subscription = request
		return response
	}
	gathered := &resolvers.Responses{NoCache: noCache}
	ctx = withDocument(resolvers.WithResponses(ctx, gathered), document)
	operation, errors := h.executor.CreateOperationContext(ctx, &graphql.RawParams{
		Query: request.Document, OperationName: request.OperationName, Variables: request.Variables,
	})
	if len(errors) > 0 {
		return h.rejectedDocument(graphql.WithOperationContext(ctx, operation), mediaType, errors)
	}
	h.rememberDocument(ctx, request)
	next, operationCtx := h.executor.DispatchOperation(ctx, operation)
	result := next(operationCtx)
	if result == nil { // the context ended before any field ran
		contextErr := sqlq.ContextError(operationCtx)
		response := h.failure(operationCtx, httpstatus.Of(contextErr.Code), contextErr)
		response.retryAfter = httpstatus.RetryAfter(contextErr)
		return response
	}
	head, responses := newHead(result, gathered)
	response := httpResponse{
		status: http.StatusOK, head: head, failed: len(result.Errors) > 0, responses: responses, personal: gathered.Personal(),
	}
	if bytes.Equal(result.Data, []byte("null")) { // no field has rows
		response.retryAfter = retryAfter(gathered.Failures())
	}
	return response
}

// retryAfter returns how long the caller should wait before retrying; zero if no field
// was rejected.
func retryAfter(failures []error) (wait time.Duration) {
	for _, err := range failures {
		wait = max(wait, httpstatus.RetryAfter(sqlq.AsError(err)))
	}
	return wait
}

// failure returns the response to a request that fails as a whole.
func (h *handler) failure(ctx context.Context, status int, err error) httpResponse {
	return h.rejected(ctx, reject(status, err))
}

// rejected returns the response to a request that is not run.
func (h *handler) rejected(ctx context.Context, rejection *rejection) httpResponse {
	return errorResponse(rejection.status, h.executor.DispatchError(ctx, rejection.errs))
}

// rejectedDocument returns the response to a request whose document or variables are
// rejected.
func (h *handler) rejectedDocument(ctx context.Context, mediaType string, errors gqlerror.List) httpResponse {
	return h.rejected(ctx, &rejection{documentErrorStatus(mediaType, errors), errors})
}

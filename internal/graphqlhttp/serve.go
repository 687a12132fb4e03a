package graphqlhttp

import (
	"bytes"
	"context"
	"net/http"
	"time"

	"github.com/99designs/gqlgen/graphql"
	"github.com/99designs/gqlgen/graphql/executor"
	"github.com/vektah/gqlparser/v2/gqlerror"

	"savedq/internal/graphqlrules"
	"savedq/internal/http/httpcache"
	"savedq/internal/http/httpstatus"
	"savedq/resolvers"
	"savedq/sqlq"
	"savedq/sqlq/cache"
)

// handler carries GraphQL over GET and POST. It stands in the place of gqlgen's
// server and transports, with the same statuses, because theirs quote the request
// and name Go's types in their errors, ignore what follows the JSON of a body, and
// escape responses for HTML, which would change metadata on its way. It also answers
// from kept responses, before gqlgen has anything to do.
type handler struct {
	executor  *executor.Executor
	runner    Runner
	bodies    *requestBodies
	documents *graphqlrules.Documents
	named     namedDocuments
	// bodyBytes is how long a query string may be.
	bodyBytes  int64
	withoutGET bool
}

// ServeHTTP answers one request.
func (h *handler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	mediaType, acceptable := responseMediaType(r.Header["Accept"])
	if !acceptable {
		write(w, r, mediaType, h.refused(r.Context(), refuseAccept()))
		return
	}
	write(w, r, mediaType, h.respond(w, r, mediaType))
}

// respond makes the response to a request. A panic outside of any field ends here; one
// inside of a field is that field's error.
func (h *handler) respond(w http.ResponseWriter, r *http.Request, mediaType string) (made response) {
	ctx := r.Context()
	defer func() {
		if reason := recover(); reason != nil {
			made = h.failure(ctx, http.StatusInternalServerError, recovered(ctx, reason))
		}
	}()
	asked, refused := h.readRequest(w, r)
	if refused == nil {
		refused = h.named.complete(ctx, asked, mediaType)
	}
	if refused != nil {
		return h.refused(ctx, refused)
	}
	key, noCache := asked.key(mediaType), httpcache.NoCache(r)
	if kept, responses := h.runner.CachedResponse(ctx, key, noCache); kept != nil {
		h.named.remember(ctx, asked)
		return response{status: http.StatusOK, body: kept.(*responseBody), responses: responses} // the key is of no one else
	}
	made = h.run(graphql.StartOperationTrace(ctx), asked, mediaType, noCache)
	if made.mayBeKept() {
		h.keep(ctx, key, made)
	}
	return made
}

// run lets gqlgen run a request whose document is valid and within the limits.
func (h *handler) run(ctx context.Context, asked *request, mediaType string, noCache bool) response {
	document, errors := h.documents.Get(ctx, asked.Document, asked.OperationName)
	if len(errors) > 0 {
		return h.refusedDocument(graphql.WithOperationContext(ctx, &graphql.OperationContext{Doc: document}), mediaType, errors)
	}
	gathered := &resolvers.Responses{NoCache: noCache}
	ctx = withDocument(resolvers.WithResponses(ctx, gathered), document)
	operation, errors := h.executor.CreateOperationContext(ctx, &graphql.RawParams{
		Query: asked.Document, OperationName: asked.OperationName, Variables: asked.Variables,
	})
	if len(errors) > 0 {
		return h.refusedDocument(graphql.WithOperationContext(ctx, operation), mediaType, errors)
	}
	h.named.remember(ctx, asked)
	next, operationCtx := h.executor.DispatchOperation(ctx, operation)
	given := next(operationCtx)
	if given == nil { // the context ended before anything was run
		ended := sqlq.ContextError(operationCtx)
		made := h.failure(operationCtx, httpstatus.Of(ended.Code), ended)
		made.retryAfter = httpstatus.RetryAfter(ended)
		return made
	}
	body, responses := newResponseBody(given, gathered)
	made := response{status: http.StatusOK, body: body, responses: responses, personal: gathered.Personal()}
	if bytes.Equal(given.Data, []byte("null")) { // no field has rows
		made.retryAfter = retryAfter(gathered.Failures())
	}
	return made
}

// retryAfter is how long the caller does well to wait before asking again, where fields
// were turned away.
func retryAfter(failures []error) (wait time.Duration) {
	for _, err := range failures {
		wait = max(wait, httpstatus.RetryAfter(sqlq.AsError(err)))
	}
	return wait
}

// keep keeps the body of a response for as long as all of its rows are.
func (h *handler) keep(ctx context.Context, key string, made response) {
	entries := make([]*cache.Entry, len(made.responses))
	for i, response := range made.responses {
		entries[i] = response.Entry
	}
	h.runner.PutResponse(ctx, key, made.body, made.body.size(), entries)
}

// failure is a response without data.
func (h *handler) failure(ctx context.Context, status int, err error) response {
	return h.refused(ctx, refuse(status, err))
}

// refused is the response to a request that is not run.
func (h *handler) refused(ctx context.Context, why *refusal) response {
	return failed(why.status, h.executor.DispatchError(ctx, why.errs))
}

// refusedDocument is the response to a request whose document or variables are refused.
func (h *handler) refusedDocument(ctx context.Context, mediaType string, errors gqlerror.List) response {
	return h.refused(ctx, &refusal{documentErrorStatus(mediaType, errors), errors})
}

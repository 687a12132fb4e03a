package graphqlhttp

import (
	"bytes"
	"context"
	"net/http"
	"strconv"
	"time"

	"github.com/99designs/gqlgen/graphql"
	"github.com/99designs/gqlgen/graphql/executor"
	"github.com/vektah/gqlparser/v2/gqlerror"

	"savedq/internal/contentcoding"
	"savedq/internal/graphqlrules"
	"savedq/internal/httpcache"
	"savedq/internal/httpstatus"
	"savedq/resolvers"
	"savedq/sqlq"
)

// handler carries GraphQL over GET and POST. It stands in the place of gqlgen's
// server and transports, with the same statuses, because theirs quote the request
// and name Go's types in their errors, ignore what follows the JSON of a body, and
// escape answers for HTML, which would change metadata on its way. It also answers
// from kept responses, before gqlgen has anything to do.
type handler struct {
	executor  *executor.Executor
	runner    Runner
	bodies    *bodies
	documents *graphqlrules.Documents
	named     namedDocuments
	// bodyBytes is how long a query string may be.
	bodyBytes  int64
	withoutGET bool
}

// outcome is what a request is answered with.
type outcome struct {
	status   int
	response *response
	// replies are those of the response's fields that ran a saved query.
	replies []*sqlq.Reply
	// retryAfter is set where the whole request was turned away.
	retryAfter time.Duration
}

// ServeHTTP answers one request.
func (h *handler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	mediaType, acceptable := responseMediaType(r.Header["Accept"])
	if !acceptable {
		respond(w, r, mediaType, h.refused(r.Context(), refuseAccept()))
		return
	}
	respond(w, r, mediaType, h.answer(w, r, mediaType))
}

// respond sends an outcome in a media type.
func respond(w http.ResponseWriter, r *http.Request, mediaType string, answer outcome) {
	w.Header().Set("Content-Type", mediaType+"; charset=utf-8")
	w.Header().Add("Vary", "Accept, Accept-Encoding, "+httpcache.Credentials)
	write(w, r, answer)
}

// answer answers a request. A panic outside of any field ends here; one inside of a
// field is that field's error.
func (h *handler) answer(w http.ResponseWriter, r *http.Request, mediaType string) (answer outcome) {
	ctx := r.Context()
	defer func() {
		if reason := recover(); reason != nil {
			answer = h.failure(ctx, http.StatusInternalServerError, recovered(ctx, reason))
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
	if !noCache {
		if kept, replies := h.runner.Kept(r.Context(), key); kept != nil {
			h.named.remember(ctx, asked)
			return outcome{status: http.StatusOK, response: kept.(*response), replies: replies} // the key is of no one else
		}
	}
	answer = h.run(graphql.StartOperationTrace(ctx), asked, mediaType, noCache)
	if answer.response.isKept(answer.replies) {
		h.keep(r.Context(), key, answer)
	}
	return answer
}

// run lets gqlgen run a request whose document is valid and within the limits.
func (h *handler) run(ctx context.Context, asked *request, mediaType string, noCache bool) outcome {
	document, errors := h.documents.Get(ctx, asked.Document, asked.OperationName)
	if len(errors) > 0 {
		return h.refusedDocument(graphql.WithOperationContext(ctx, &graphql.OperationContext{Doc: document}), mediaType, errors)
	}
	gathered := &resolvers.Replies{NoCache: noCache}
	ctx = withDocument(resolvers.WithReplies(ctx, gathered), document)
	operation, errors := h.executor.CreateOperationContext(ctx, &graphql.RawParams{
		Query: asked.Document, OperationName: asked.OperationName, Variables: asked.Variables,
	})
	if len(errors) > 0 {
		return h.refusedDocument(graphql.WithOperationContext(ctx, operation), mediaType, errors)
	}
	h.named.remember(ctx, asked)
	responses, operationCtx := h.executor.DispatchOperation(ctx, operation)
	given := responses(operationCtx)
	if given == nil { // the context ended before anything was run
		return h.failure(operationCtx, http.StatusOK, operationCtx.Err())
	}
	response, replies := newResponse(given, gathered)
	answer := outcome{status: http.StatusOK, response: response, replies: replies}
	if bytes.Equal(given.Data, []byte("null")) { // no field has an answer
		answer.retryAfter = retryAfter(gathered.Failures())
	}
	return answer
}

// retryAfter is how long the caller does well to wait before asking again, where fields
// were turned away.
func retryAfter(failures []error) (wait time.Duration) {
	for _, err := range failures {
		wait = max(wait, httpstatus.RetryAfter(sqlq.AsError(err)))
	}
	return wait
}

// keep keeps a response for as long as all of its answers are.
func (h *handler) keep(ctx context.Context, key string, answer outcome) {
	from := make([]*sqlq.Answer, len(answer.replies))
	for i, reply := range answer.replies {
		from[i] = reply.Answer
	}
	h.runner.Keep(ctx, key, answer.response, answer.response.size(), from)
}

// failure is an outcome without data.
func (h *handler) failure(ctx context.Context, status int, err error) outcome {
	return h.refused(ctx, refuse(status, err))
}

// refused is the outcome of a request that is not run.
func (h *handler) refused(ctx context.Context, why *refusal) outcome {
	return failed(why.status, h.executor.DispatchError(ctx, why.errs))
}

// refusedDocument is the outcome of a request whose document or variables are refused.
func (h *handler) refusedDocument(ctx context.Context, mediaType string, errors gqlerror.List) outcome {
	return h.refused(ctx, &refusal{documentErrorStatus(mediaType, errors), errors})
}

func failed(status int, given *graphql.Response) outcome {
	response, _ := newResponse(given, nil)
	return outcome{status: status, response: response}
}

// write sends an outcome. The headers about freshness are for GET and HEAD, whose
// responses HTTP caches may store.
func write(w http.ResponseWriter, r *http.Request, answer outcome) {
	header := w.Header()
	httpstatus.SetRetryAfter(header, answer.retryAfter)
	switch {
	case answer.response.failed:
		header.Set("Cache-Control", "no-store")
	case r.Method != http.MethodPost && len(answer.replies) == 0:
		header.Set("Cache-Control", "private, no-cache") // it tells what the token may know of
	case r.Method != http.MethodPost:
		httpcache.SetFreshness(header, answer.replies...)
		header.Set("ETag", answer.response.etag())
		if httpcache.NotModified(r, answer.response.etag()) {
			w.WriteHeader(http.StatusNotModified)
			return
		}
	}
	head, tail := answer.response.head, answer.response.tail(answer.replies)
	coding := contentcoding.Choose(r.Header["Accept-Encoding"], len(head)+len(tail))
	if coding != contentcoding.Identity {
		header.Set("Content-Encoding", string(coding))
	}
	body := answer.response.encode(coding, tail)
	header.Set("Content-Length", strconv.Itoa(len(body)))
	w.WriteHeader(answer.status)
	_, _ = w.Write(body) //nolint:gosec // It is JSON, and its type says so. Who has gone needs no answer.
}

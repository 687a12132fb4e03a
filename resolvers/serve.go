package resolvers

import (
	"context"
	"net/http"
	"strconv"

	"github.com/99designs/gqlgen/graphql"
	"github.com/99designs/gqlgen/graphql/executor"
	"github.com/vektah/gqlparser/v2/gqlerror"

	"savedq/internal/contentcoding"
	"savedq/internal/httpcache"
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
	documents *persistedDocuments
}

// outcome is what a request is answered with.
type outcome struct {
	status   int
	response *response
	// replies are those of the response's fields that ran a saved query.
	replies []*sqlq.Reply
}

// ServeHTTP answers one request.
func (h *handler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	mediaType := responseMediaType(r.Header["Accept"])
	header := w.Header()
	header.Set("Content-Type", mediaType+"; charset=utf-8")
	header.Add("Vary", "Accept, Accept-Encoding")
	write(w, r, h.answer(w, r, mediaType))
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
		refused = h.documents.complete(ctx, asked, mediaType)
	}
	if refused != nil {
		return h.failure(ctx, refused.status, refused.err)
	}
	key, noCache := asked.key(mediaType), httpcache.NoCache(r)
	if !noCache {
		if kept, replies := h.runner.Kept(r.Context(), key); kept != nil {
			h.documents.remember(ctx, asked)
			return outcome{http.StatusOK, kept.(*response), replies} // the key is of no one else
		}
	}
	answer = h.run(graphql.StartOperationTrace(ctx), asked, mediaType, noCache)
	if answer.response.isKept(answer.replies) {
		h.keep(r.Context(), key, answer)
	}
	return answer
}

// run lets gqlgen run a request.
func (h *handler) run(ctx context.Context, asked *request, mediaType string, noCache bool) outcome {
	gathered := &answers{noCache: noCache}
	ctx = withAnswers(ctx, gathered)
	operation, errors := h.executor.CreateOperationContext(ctx, &graphql.RawParams{
		Query: asked.Document, OperationName: asked.OperationName, Variables: asked.Variables,
	})
	if len(errors) > 0 {
		return failed(documentErrorStatus(mediaType), h.executor.DispatchError(graphql.WithOperationContext(ctx, operation), errors))
	}
	h.documents.remember(ctx, asked)
	responses, operationCtx := h.executor.DispatchOperation(ctx, operation)
	given := responses(operationCtx)
	if given == nil { // the context ended before anything was run
		return h.failure(operationCtx, http.StatusOK, operationCtx.Err())
	}
	response, replies := newResponse(given, gathered)
	return outcome{http.StatusOK, response, replies}
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
	return failed(status, h.executor.DispatchError(ctx, gqlerror.List{gqlerror.Wrap(err)}))
}

func failed(status int, given *graphql.Response) outcome {
	response, _ := newResponse(given, nil)
	return outcome{status: status, response: response}
}

// documentErrorStatus is the status of a request whose document or variables are
// refused.
func documentErrorStatus(mediaType string) int {
	if mediaType == graphqlMediaType {
		return http.StatusBadRequest
	}
	return http.StatusUnprocessableEntity
}

// write sends an outcome. The headers about freshness are for GET and HEAD, whose
// responses HTTP caches may store.
func write(w http.ResponseWriter, r *http.Request, answer outcome) {
	header := w.Header()
	switch {
	case answer.response.failed:
		header.Set("Cache-Control", "no-store")
	case r.Method != http.MethodPost && len(answer.replies) > 0:
		httpcache.SetFreshness(header, answer.replies...)
		header.Set("ETag", answer.response.etag())
		if httpcache.NotModified(r, answer.response.etag()) {
			w.WriteHeader(http.StatusNotModified)
			return
		}
	}
	head, tail := answer.response.head, answer.response.tail(answer.replies)
	if coding := contentcoding.Choose(r.Header["Accept-Encoding"], len(head)+len(tail)); coding != contentcoding.Identity {
		header.Set("Content-Encoding", string(coding))
		head, tail = answer.response.encode(coding, tail), nil
	}
	header.Set("Content-Length", strconv.Itoa(len(head)+len(tail)))
	w.WriteHeader(answer.status)
	_, _ = w.Write(head) //nolint:gosec // It is JSON, and its type says so. Who has gone needs no answer.
	_, _ = w.Write(tail)
}

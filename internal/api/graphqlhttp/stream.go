package graphqlhttp

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"runtime/debug"
	"time"

	"github.com/99designs/gqlgen/graphql"
	"github.com/vektah/gqlparser/v2/ast"
	"github.com/vektah/gqlparser/v2/gqlerror"

	"savedq/internal/http/httperror"
	"savedq/internal/http/origins"
	"savedq/resolvers"
	"savedq/sqlq"
)

// Streams configures what outlives a request: subscriptions over server-sent events and
// WebSockets.
type Streams struct {
	// Open authenticates a connection: by its headers, or by the token if they hold none.
	// Nil means that no connection needs a token.
	Open func(ctx context.Context, header http.Header, token string) (Session, error)
	// Origins are the origins whose pages may open a WebSocket, besides the server's own. Its
	// form is the same as for the CORS origins.
	Origins origins.Set
	// Current returns the handler that serves requests now, one of [NewHandler]. A WebSocket
	// outlives changes of the saved queries, and its operations are run by the handler that is
	// the current one when they start. Nil means that the handler never changes.
	Current func() http.Handler
	// Stopping ends when the server begins to shut down: subscriptions end then, and queries
	// finish. Nil means never.
	Stopping context.Context //nolint:containedctx // It is the server's.
	// Clock is used for timeouts of connections, so it must be the clock of the machine; nil means
	// that a connection has none.
	Clock func() time.Time
	// Timing is for tests; zero fields have defaults.
	Timing StreamTiming
}

// StreamTiming holds the intervals and timeouts of streams.
type StreamTiming struct {
	// Check is how often the token is checked.
	Check time.Duration
	// KeepAlive is how often an idle connection is used, so that proxies keep it open and
	// clients that are gone are noticed.
	KeepAlive time.Duration
	// Write is how long a client may take to receive what is sent at once.
	Write time.Duration
	// FinalWrite is the same once the server shuts down, which waits for it.
	FinalWrite time.Duration
	// Init is how long a WebSocket client may take to send its connection_init.
	Init time.Duration
}

// Session is the access of a connection.
type Session interface {
	// Context returns a context with the access.
	Context(ctx context.Context) context.Context
	// Check returns an error if the access has ended.
	Check(ctx context.Context) error
	// Admit counts an operation, and returns an error if there are too many.
	Admit() error
}

func (s Streams) withDefaults() Streams {
	s.Timing = StreamTiming{
		Check:      cmp.Or(s.Timing.Check, time.Second),
		KeepAlive:  cmp.Or(s.Timing.KeepAlive, 15*time.Second),
		Write:      cmp.Or(s.Timing.Write, 30*time.Second),
		FinalWrite: cmp.Or(s.Timing.FinalWrite, 3*time.Second),
		Init:       cmp.Or(s.Timing.Init, 10*time.Second),
	}
	if s.Open == nil {
		s.Open = func(context.Context, http.Header, string) (Session, error) { return openSession{}, nil }
	}
	if s.Stopping == nil {
		s.Stopping = context.Background()
	}
	return s
}

// openSession is a session without limits.
type openSession struct{}

func (openSession) Context(ctx context.Context) context.Context { return ctx }
func (openSession) Check(context.Context) error                 { return nil }
func (openSession) Admit() error                                { return nil }

// allowsOrigin reports whether a page of the request's origin may open a connection. Browsers
// do not hold WebSockets to the same-origin policy, but name the origin.
func (s *Streams) allowsOrigin(r *http.Request) bool {
	origin := r.Header.Get("Origin")
	if origin == "" || origin == "http://"+r.Host || origin == "https://"+r.Host {
		return true // no browser, or a page of this server
	}
	return s.Origins.Allows(origin)
}

// errStopping ends subscriptions when the server shuts down. Their clients connect again.
var errStopping = errors.New("the server is shutting down")

// untilStopping returns a context that ends with errStopping when the server begins to shut
// down. Callers must release it.
func (s *Streams) untilStopping(ctx context.Context) (_ context.Context, release func()) {
	ctx, end := context.WithCancelCause(ctx)
	forget := context.AfterFunc(s.Stopping, func() { end(errStopping) })
	return ctx, func() {
		forget()
		end(nil)
	}
}

// watch ends a stream when its token ends.
func (s *Streams) watch(ctx context.Context, session Session, end context.CancelCauseFunc) {
	ticker := time.NewTicker(s.Timing.Check)
	defer ticker.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
			if err := session.Check(ctx); err != nil {
				end(err)
				return
			}
		}
	}
}

// sink receives the results of an operation. Its errors mean that the client is gone.
type sink interface {
	// next sends a result.
	next(body []byte) error
	// fail sends errors, a JSON list, after which nothing follows.
	fail(errs []byte) error
}

// stream runs an operation and sends its results. The error is nil if the operation ended,
// and errStopping or the client's error otherwise.
func (h *handler) stream(ctx context.Context, request *graphqlRequest, out sink) (err error) {
	h = h.forCaller(ctx)
	defer func() {
		if reason := recover(); reason != nil {
			err = h.fail(ctx, out, gqlerror.List{gqlerror.Wrap(fmt.Errorf("panic: %v\n%s", reason, debug.Stack()))})
		}
	}()
	if rejected := h.completeDocument(ctx, request, graphqlMediaType); rejected != nil {
		return h.fail(ctx, out, rejected.errs)
	}
	ctx = graphql.StartOperationTrace(ctx)
	document, errs := h.documents.Get(ctx, request.Document, request.OperationName)
	if len(errs) > 0 {
		return h.fail(graphql.WithOperationContext(ctx, &graphql.OperationContext{Doc: document}), out, errs)
	}
	if !isSubscription(document, request) {
		response := h.run(ctx, request, graphqlMediaType, false)
		return out.next(append(response.head.Body, response.tail()...))
	}
	ctx = withDocument(resolvers.WithResponses(ctx, &resolvers.Responses{}), document)
	operation, errs := h.executor.CreateOperationContext(ctx, &graphql.RawParams{
		Query: request.Document, OperationName: request.OperationName, Variables: request.Variables,
	})
	if len(errs) > 0 {
		return h.fail(graphql.WithOperationContext(ctx, operation), out, errs)
	}
	if err := oneRootField(operation); err != nil {
		return h.fail(graphql.WithOperationContext(ctx, operation), out, gqlerror.List{gqlerror.Wrap(err)})
	}
	h.rememberDocument(ctx, request)
	ctx, release := h.Streams.untilStopping(ctx)
	defer release()
	return h.follow(ctx, operation, out)
}

// oneRootField returns an error if a subscription has not exactly one root field. The
// validation counts names, and so misses aliases of one field and directives that leave the
// field out.
func oneRootField(operation *graphql.OperationContext) error {
	if len(graphql.CollectFields(operation, operation.Operation.SelectionSet, []string{"Subscription"})) == 1 {
		return nil
	}
	return sqlq.Errorf(sqlq.InvalidArgument, "a subscription must have exactly one root field, such as logsTail; send one subscription for each")
}

// follow sends the results of a subscription until it or its context ends.
func (h *handler) follow(ctx context.Context, operation *graphql.OperationContext, out sink) error {
	next, operationCtx := h.executor.DispatchOperation(ctx, operation)
	for result := next(operationCtx); result != nil; result = next(operationCtx) {
		if result.Data == nil { // the subscription could not begin
			return out.fail(httperror.Encode(result.Errors))
		}
		head, _ := newHead(result, &resolvers.Responses{})
		if err := out.next(append(head.Body, '}')); err != nil {
			return err
		}
	}
	cause := context.Cause(ctx)
	ended := &sqlq.Error{}
	if errors.As(cause, &ended) && ended.Code == sqlq.Unauthenticated {
		return h.fail(context.WithoutCancel(ctx), out, gqlerror.List{gqlerror.Wrap(cause)})
	}
	return cause
}

// fail sends errors as callers may see them.
func (h *handler) fail(ctx context.Context, out sink, errs gqlerror.List) error {
	return out.fail(httperror.Encode(h.executor.DispatchError(ctx, errs).Errors))
}

// isSubscription reports whether a request runs a subscription. The document must have its
// operation.
func isSubscription(document *ast.QueryDocument, request *graphqlRequest) bool {
	return document.Operations.ForName(request.OperationName).Operation == ast.Subscription
}

// rejectSubscription rejects a subscription whose response would have no end.
func rejectSubscription() *rejection {
	return badRequest("a subscription has no single response; send the header Accept: text/event-stream, or use a WebSocket with the subprotocol %s", webSocketProtocol)
}

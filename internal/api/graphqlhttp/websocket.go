package graphqlhttp

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"strings"
	"sync"
	"time"

	"github.com/coder/websocket"
	"github.com/vektah/gqlparser/v2/gqlerror"

	"savedq/internal/text/jsontext"
	"savedq/sqlq"
)

// webSocketProtocol is the subprotocol, which the client graphql-ws speaks.
const webSocketProtocol = "graphql-transport-ws"

// Close codes of the protocol. Clients do not connect again after any but the last two.
const (
	closeBadRequest    = websocket.StatusCode(4400)
	closeUnauthorized  = websocket.StatusCode(4401)
	closeInitTimeout   = websocket.StatusCode(4408)
	closeDuplicate     = websocket.StatusCode(4409)
	closeTooManyInits  = websocket.StatusCode(4429)
	closeWrongProtocol = websocket.StatusCode(4406)
)

// maxOperations is how many operations a connection can run at the same time, and maxEnding how
// many more may still end that the client has completed.
const maxOperations, maxEnding = 20, 20

// message is a message of the protocol, in either direction.
type message struct {
	Type    string          `json:"type"`
	ID      string          `json:"id,omitempty"`
	Payload json.RawMessage `json:"payload,omitempty"`
}

// isWebSocket reports whether a request opens a WebSocket.
func isWebSocket(r *http.Request) bool {
	upgrade := r.Header["Upgrade"]
	return len(upgrade) == 1 && r.Method == http.MethodGet && strings.EqualFold(upgrade[0], "websocket")
}

// serveWebSocket speaks graphql-transport-ws on a connection until it ends.
func (h *handler) serveWebSocket(w http.ResponseWriter, r *http.Request) {
	if !h.Streams.allowsOrigin(r) {
		write(w, r, jsonMediaType, h.failure(r.Context(), http.StatusForbidden, sqlq.Errorf(sqlq.PermissionDenied,
			"pages of this origin may not open a WebSocket; the server's --cors-origins allows origins")))
		return
	}
	conn, err := websocket.Accept(w, r, &websocket.AcceptOptions{
		Subprotocols:       []string{webSocketProtocol},
		InsecureSkipVerify: true, // the origin has been checked
	})
	if err != nil {
		return // Accept has responded
	}
	defer func() { _ = conn.CloseNow() }()
	if conn.Subprotocol() != webSocketProtocol {
		_ = conn.Close(closeWrongProtocol, "Subprotocol not acceptable; use "+webSocketProtocol)
		return
	}
	conn.SetReadLimit(h.BodyBytes)
	ctx, end := context.WithCancelCause(r.Context())
	s := &socket{handler: h, conn: conn, request: r, ctx: ctx, end: end, operations: make(map[string]*operation)}
	defer s.background.Wait()
	defer end(nil)
	s.run() //nolint:contextcheck // The socket has the context.
}

// socket is a WebSocket connection.
type socket struct {
	handler *handler
	conn    *websocket.Conn
	request *http.Request
	// ctx ends with its cause when the connection is to end.
	ctx        context.Context //nolint:containedctx // It is the connection's.
	end        context.CancelCauseFunc
	background sync.WaitGroup
	// session is nil until the client has sent connection_init. Only run uses it.
	session Session

	mutex sync.Mutex
	// operations are those that the client has not completed, by their ids.
	operations map[string]*operation
	// active is how many operations run, with those that were completed and have not ended.
	active int
	// closing reports whether no further operation may start.
	closing bool
	running sync.WaitGroup
}

// operation is an operation in progress.
type operation struct{ cancel context.CancelFunc }

// closure is an error that closes the connection with a code of the protocol.
type closure struct {
	code   websocket.StatusCode
	reason string
}

func (c *closure) Error() string { return c.reason }

// run handles messages until the connection ends.
func (s *socket) run() {
	initTimeout := time.AfterFunc(s.handler.Streams.Timing.Init, func() {
		s.close(&closure{closeInitTimeout, "Connection initialisation timeout"})
	})
	defer initTimeout.Stop()
	s.background.Go(s.closeAtEnd)
	for {
		// closeAtEnd ends it: a context would end the connection without a close code.
		kind, text, err := s.conn.Read(context.WithoutCancel(s.request.Context()))
		if err != nil {
			return
		}
		var received message
		err = decodeJSON(text, &received)
		if repeated := new(sqlq.Error); errors.As(err, &repeated) {
			s.close(&closure{closeBadRequest, "Invalid message: " + repeated.Message})
			return
		}
		if err != nil || kind != websocket.MessageText || !jsontext.IsWellFormed(string(text)) {
			s.close(&closure{closeBadRequest, "Invalid message: it must be a JSON object with the field type"})
			return
		}
		if received.Type == "connection_init" {
			initTimeout.Stop()
		}
		if err := s.handle(received); err != nil {
			s.close(err)
			return
		}
	}
}

// handle handles a message. An error ends the connection.
func (s *socket) handle(received message) error {
	switch received.Type {
	case "connection_init":
		return s.initialise(received.Payload)
	case "ping":
		return s.send(message{Type: "pong", Payload: received.Payload})
	case "pong":
		return nil
	case "subscribe":
		return s.subscribe(received)
	case "complete":
		s.mutex.Lock()
		defer s.mutex.Unlock()
		if completed, found := s.operations[received.ID]; found {
			completed.cancel()
			delete(s.operations, received.ID) // the client can use the id again
		}
		return nil
	}
	return &closure{closeBadRequest, "Invalid message: the type is not one of connection_init, ping, pong, subscribe, complete"}
}

// initialise authenticates the connection. Browsers cannot set headers, so the payload may
// hold the token.
func (s *socket) initialise(payload json.RawMessage) error {
	if s.session != nil {
		return &closure{closeTooManyInits, "Too many initialisation requests"}
	}
	token, err := tokenOf(payload)
	if err != nil {
		return &closure{closeBadRequest, "Invalid message: the payload of connection_init must be an object"}
	}
	session, err := s.handler.Streams.Open(s.request.Context(), s.request.Header, token)
	if failure, ok := errors.AsType[*sqlq.Error](err); ok && failure.Code == sqlq.Unauthenticated && token == "" {
		return &closure{closeUnauthorized, `Unauthorized: a token is required; send {"token": "…"} as the payload of connection_init`}
	}
	if err != nil {
		return err
	}
	s.session = session
	s.background.Go(func() { s.handler.Streams.watch(s.ctx, session, s.end) })
	s.background.Go(s.keepAlive)
	return s.send(message{Type: "connection_ack"})
}

// tokenOf returns the token of a connection_init: the field token, or a field that is named
// like one of the headers, with a value like its own.
func tokenOf(payload json.RawMessage) (string, error) {
	var fields map[string]any
	if len(payload) > 0 {
		if err := decodeJSON(payload, &fields); err != nil {
			return "", err
		}
	}
	found := ""
	for name, value := range fields {
		text, _ := value.(string)
		switch strings.ToLower(name) {
		case "token", "x-api-key":
			found = text
		case "authorization":
			if scheme, bearer, ok := strings.Cut(text, " "); ok && strings.EqualFold(scheme, "Bearer") {
				found = strings.TrimSpace(bearer)
			}
		}
	}
	return found, nil
}

// subscribe starts an operation.
func (s *socket) subscribe(received message) error {
	switch {
	case s.session == nil:
		return &closure{closeUnauthorized, "Unauthorized: send connection_init first"}
	case received.ID == "":
		return &closure{closeBadRequest, "Invalid message: subscribe needs an id"}
	}
	request := &graphqlRequest{}
	if err := decodeJSON(received.Payload, request); err != nil {
		return &closure{closeBadRequest, "Invalid message: " + rejectJSON("payload", err).errs[0].Message}
	}
	ctx, cancel := context.WithCancel(s.session.Context(s.ctx))
	handler, started := s.handler.latest(), &operation{cancel: cancel}
	out := &socketSink{socket: s, id: received.ID, operation: started}
	if err := s.begin(received.ID, started, request); err != nil {
		cancel()
		var ends *closure
		switch {
		case errors.Is(err, errClosing):
			return nil
		case errors.As(err, &ends):
			return ends
		}
		return handler.fail(ctx, out, gqlerror.List{gqlerror.Wrap(err)})
	}
	s.background.Go(func() {
		defer s.running.Done()
		defer s.ended()
		defer cancel()
		if handler.stream(ctx, request, out) == nil && s.release(received.ID, started) {
			_ = s.send(message{Type: "complete", ID: received.ID}) //nolint:contextcheck // That of the operation may have ended.
		}
	})
	return nil
}

// errClosing is the error for an operation that the client sent while the connection ends.
var errClosing = errors.New("the connection is closing")

// begin counts an operation that is to run. The error is errClosing, a closure of the
// connection, or one for the client.
func (s *socket) begin(id string, started *operation, request *graphqlRequest) error {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	if s.closing {
		return errClosing
	}
	if _, found := s.operations[id]; found {
		return &closure{closeDuplicate, "Subscriber for " + id + " already exists"}
	}
	if err := s.session.Admit(); err != nil {
		return err
	}
	if len(s.operations) >= maxOperations || s.active >= maxOperations+maxEnding {
		return sqlq.Errorf(sqlq.ResourceExhausted, "the connection runs %d operations already, the most that it can", maxOperations)
	}
	if request.Extensions.PersistedQuery == nil && strings.TrimSpace(request.Document) == "" {
		return request.missingDocument()
	}
	s.operations[id] = started
	s.active++
	s.running.Add(1)
	return nil
}

// release makes the id of an operation available again, before the client learns that it has
// ended. It reports whether the client has not completed the operation itself: then another one
// may have the id already.
func (s *socket) release(id string, ending *operation) bool {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	held := s.operations[id] == ending
	if held {
		delete(s.operations, id)
	}
	return held
}

// ended counts an operation that has ended.
func (s *socket) ended() {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	s.active--
}

// keepAlive sends pings, and ends the connection if the client does not respond.
func (s *socket) keepAlive() {
	ticker := time.NewTicker(s.handler.Streams.Timing.KeepAlive)
	defer ticker.Stop()
	for {
		select {
		case <-s.ctx.Done():
			return
		case <-ticker.C:
			ctx, cancel := s.writeContext()
			err := s.conn.Ping(ctx)
			cancel()
			if err != nil {
				s.end(err)
				return
			}
		}
	}
}

// closeAtEnd closes the connection when it is to end, after its operations have said why.
func (s *socket) closeAtEnd() {
	select {
	case <-s.ctx.Done():
	case <-s.handler.Streams.Stopping.Done():
	}
	s.mutex.Lock()
	s.closing = true
	s.mutex.Unlock()
	s.running.Wait()
	s.close(context.Cause(s.ctx))
}

// close closes the connection with the code of an error.
func (s *socket) close(cause error) {
	closing, failure := &closure{websocket.StatusNormalClosure, ""}, &sqlq.Error{}
	switch {
	case errors.As(cause, &closing):
	case errors.As(cause, &failure) && failure.Code == sqlq.Unauthenticated:
		closing = &closure{closeUnauthorized, "Unauthorized: " + failure.PublicText("")}
	case s.handler.Streams.Stopping.Err() != nil:
		closing = &closure{websocket.StatusGoingAway, "The server is shutting down"}
	}
	const maxReason = 123 // bytes of a close frame
	_ = s.conn.Close(closing.code, truncated(closing.reason, maxReason))
}

// send sends a message. It is safe for concurrent use.
func (s *socket) send(sent message) error {
	text, err := json.Marshal(sent)
	if err != nil {
		return err
	}
	ctx, cancel := s.writeContext()
	defer cancel()
	return s.conn.Write(ctx, websocket.MessageText, text)
}

// writeContext returns the context of what the client must receive soon. It outlives the
// request, so that the client receives why the connection ends.
func (s *socket) writeContext() (context.Context, context.CancelFunc) {
	timing := s.handler.Streams.Timing
	ctx, cancel := context.WithTimeout(context.WithoutCancel(s.request.Context()), timing.Write)
	forget := context.AfterFunc(s.handler.Streams.Stopping, func() {
		select {
		case <-ctx.Done():
		case <-time.After(timing.FinalWrite):
			cancel()
		}
	})
	return ctx, func() {
		forget()
		cancel()
	}
}

// socketSink sends the results of one operation.
type socketSink struct {
	socket    *socket
	id        string
	operation *operation
}

func (s *socketSink) next(body []byte) error {
	return s.socket.send(message{Type: "next", ID: s.id, Payload: body})
}

func (s *socketSink) fail(errs []byte) error {
	s.socket.release(s.id, s.operation)
	return s.socket.send(message{Type: "error", ID: s.id, Payload: errs})
}

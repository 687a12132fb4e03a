package graphqlhttp

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"strings"
	"sync"
	"time"

	"github.com/coder/websocket"
	"github.com/vektah/gqlparser/v2/gqlerror"

	"savedq/internal/jsontext"
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

// maxOperations is how many operations a connection can run at the same time.
const maxOperations = 20

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
	if !h.streams.allowsOrigin(r) {
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
	conn.SetReadLimit(h.bodyBytes)
	ctx, end := context.WithCancelCause(r.Context())
	s := &socket{handler: h, conn: conn, request: r, ctx: ctx, end: end, operations: make(map[string]context.CancelFunc)}
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
	// operations are those in progress, by their ids.
	operations map[string]context.CancelFunc
	// closing reports whether no further operation may start.
	closing bool
	running sync.WaitGroup
}

// closure is an error that closes the connection with a code of the protocol.
type closure struct {
	code   websocket.StatusCode
	reason string
}

func (c *closure) Error() string { return c.reason }

// run handles messages until the connection ends.
func (s *socket) run() {
	initTimeout := time.AfterFunc(s.handler.streams.Timing.Init, func() {
		s.close(&closure{closeInitTimeout, "Connection initialisation timeout"})
	})
	defer initTimeout.Stop()
	for {
		kind, text, err := s.conn.Read(s.request.Context())
		if err != nil {
			return
		}
		var received message
		if kind != websocket.MessageText || !jsontext.IsWellFormed(string(text)) || decodeJSON(bytes.NewReader(text), &received) != nil {
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
		if cancel, found := s.operations[received.ID]; found {
			cancel()
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
	session, err := s.handler.streams.Open(s.request.Context(), s.request.Header, token)
	if err != nil {
		return err
	}
	s.session = session
	s.background.Go(func() { s.handler.streams.watch(s.ctx, session, s.end) })
	s.background.Go(s.keepAlive)
	s.background.Go(s.closeAtEnd)
	return s.send(message{Type: "connection_ack"})
}

// tokenOf returns the token of a connection_init: the field token, or a field that is named
// like one of the headers, with a value like its own.
func tokenOf(payload json.RawMessage) (string, error) {
	var fields map[string]any
	if len(payload) > 0 {
		if err := json.Unmarshal(payload, &fields); err != nil {
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
	out := &socketSink{socket: s, id: received.ID}
	if err := decodeJSON(bytes.NewReader(received.Payload), request); err != nil {
		return &closure{closeBadRequest, "Invalid message: " + rejectJSON("payload", err).errs[0].Message}
	}
	ctx, cancel := context.WithCancel(s.session.Context(s.ctx))
	s.mutex.Lock()
	defer s.mutex.Unlock()
	if s.closing {
		cancel()
		return nil
	}
	if _, found := s.operations[received.ID]; found {
		cancel()
		return &closure{closeDuplicate, "Subscriber for " + received.ID + " already exists"}
	}
	rejection := s.session.Admit()
	switch {
	case len(s.operations) >= maxOperations:
		rejection = sqlq.Errorf(sqlq.ResourceExhausted, "the connection runs %d operations already, the most that it can", maxOperations)
	case request.Extensions.PersistedQuery == nil && strings.TrimSpace(request.Document) == "":
		rejection = sqlq.Errorf(sqlq.InvalidArgument, "query: is required; send a GraphQL document such as { endpoints { name } }")
	}
	if rejection != nil {
		cancel()
		return s.handler.fail(ctx, out, gqlerror.List{gqlerror.Wrap(rejection)})
	}
	s.operations[received.ID] = cancel
	s.running.Add(1)
	s.background.Go(func() {
		defer s.running.Done()
		defer cancel()
		s.operate(ctx, request, out)
	})
	return nil
}

// operate runs an operation to its end.
func (s *socket) operate(ctx context.Context, request *graphqlRequest, out *socketSink) {
	err := s.handler.stream(ctx, request, out)
	s.mutex.Lock()
	delete(s.operations, out.id)
	s.mutex.Unlock()
	if err == nil && !out.failed {
		_ = s.send(message{Type: "complete", ID: out.id}) //nolint:contextcheck // That of the operation may have ended.
	}
}

// keepAlive sends pings, and ends the connection if the client does not respond.
func (s *socket) keepAlive() {
	ticker := time.NewTicker(s.handler.streams.Timing.KeepAlive)
	defer ticker.Stop()
	for {
		select {
		case <-s.ctx.Done():
			return
		case <-ticker.C:
			ctx, cancel := context.WithTimeout(s.request.Context(), s.handler.streams.Timing.Write)
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
	<-s.ctx.Done()
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
	case errors.Is(cause, errStopping):
		closing = &closure{websocket.StatusGoingAway, "The server is shutting down"}
	case errors.As(cause, &failure) && failure.Code == sqlq.Unauthenticated:
		closing = &closure{closeUnauthorized, "Unauthorized: " + failure.PublicText("")}
	}
	_ = s.conn.Close(closing.code, shortReason(closing.reason))
}

// shortReason returns a reason as a close frame can carry it.
func shortReason(reason string) string {
	const maxBytes = 123
	if len(reason) <= maxBytes {
		return reason
	}
	return strings.ToValidUTF8(reason[:maxBytes-len("…")], "") + "…"
}

// send sends a message. It is safe for concurrent use.
func (s *socket) send(sent message) error {
	text, err := json.Marshal(sent)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(s.request.Context(), s.handler.streams.Timing.Write)
	defer cancel()
	return s.conn.Write(ctx, websocket.MessageText, text)
}

// socketSink sends the results of one operation.
type socketSink struct {
	socket *socket
	id     string
	// failed reports whether errors were sent, which end the operation.
	failed bool
}

func (s *socketSink) next(body []byte) error {
	return s.socket.send(message{Type: "next", ID: s.id, Payload: body})
}

func (s *socketSink) fail(errs []byte) error {
	s.failed = true
	return s.socket.send(message{Type: "error", ID: s.id, Payload: errs})
}

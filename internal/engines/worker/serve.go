package worker

import (
	"bytes"
	"context"
	"encoding/gob"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"runtime/debug"
	"slices"
	"time"

	"savedq/sqlq"
)

const (
	// batchRows and batchBytes are about how many rows and bytes are sent at a time.
	batchRows  = 4096
	batchBytes = 1 << 20
)

// Paths of the requests.
const (
	showPath  = "/show"
	runPath   = "/run"
	awaitPath = "/await"
)

// Backend is what a process runs statements on. It is safe for concurrent use.
type Backend interface {
	// Show makes statements read a state of the store, which [Snapshot.Encode] has encoded.
	Show(ctx context.Context, state []byte) error
	// Run runs a statement, as [sqlq.Engine] does.
	Run(ctx context.Context, statement sqlq.Statement) (*sqlq.Result, error)
	// AwaitFiles waits until the files that a saved query reads have been read for the first time.
	AwaitFiles(ctx context.Context, query *sqlq.SavedQuery) error
}

// serve serves requests until the listener fails. watched is called before a run, and what it returns afterwards.
func serve(listener net.Listener, backend Backend, watched func() (end func())) error {
	const headerTimeout = 10 * time.Second
	handler := &handler{backend, watched}
	paths := http.NewServeMux()
	paths.HandleFunc("POST "+showPath, handler.show)
	paths.HandleFunc("POST "+runPath, handler.run)
	paths.HandleFunc("POST "+awaitPath, handler.await)
	server := &http.Server{Handler: paths, ReadHeaderTimeout: headerTimeout}
	if err := server.Serve(listener); !errors.Is(err, io.EOF) {
		return fmt.Errorf("serve SQL of callers: %w", err)
	}
	return nil
}

type handler struct {
	backend Backend
	watched func() (end func())
}

// show responds to a request with a state to show.
func (h *handler) show(w http.ResponseWriter, r *http.Request) {
	h.respond(w, r, func(ctx context.Context, state []byte, _ *gob.Encoder) (end, error) {
		return end{}, h.backend.Show(ctx, state)
	})
}

// await responds to a request to wait for files.
func (h *handler) await(w http.ResponseWriter, r *http.Request) {
	h.respond(w, r, func(ctx context.Context, body []byte, _ *gob.Encoder) (end, error) {
		statement, err := statementOf(body)
		if err != nil {
			return end{}, err
		}
		return end{}, h.backend.AwaitFiles(ctx, statement.Query)
	})
}

// run responds to a request to run a statement.
func (h *handler) run(w http.ResponseWriter, r *http.Request) {
	h.respond(w, r, func(ctx context.Context, body []byte, to *gob.Encoder) (end, error) {
		statement, err := statementOf(body)
		if err != nil {
			return end{}, err
		}
		sender := &sender{to: to, batch: sqlq.NewBatch(textual(statement.Query.Columns))}
		if !slices.ContainsFunc(statement.Query.Tables, readsFiles) {
			statement.Emit = sender.send
		}
		result, err := h.backend.Run(ctx, statement)
		if err != nil {
			return end{}, err
		}
		return end{Truncated: result.Truncated}, sender.send(sqlq.BatchOf(result.Columns, result.Rows))
	})
}

func statementOf(body []byte) (sqlq.Statement, error) {
	var received request
	if err := gob.NewDecoder(bytes.NewReader(body)).Decode(&received); err != nil {
		return sqlq.Statement{}, fmt.Errorf("read a request: %w", err)
	}
	return received.statement()
}

// respond sends what work sends, and how it has ended. A panic is an error of the engine.
func (h *handler) respond(w http.ResponseWriter, r *http.Request, work func(ctx context.Context, body []byte, to *gob.Encoder) (end, error)) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return // whoever has left reads nothing
	}
	to := gob.NewEncoder(w)
	if to.Encode(message{Begins: true}) != nil || http.NewResponseController(w).Flush() != nil {
		return
	}
	last, err := h.try(r.Context(), func(ctx context.Context) (end, error) { return work(ctx, body, to) })
	if err != nil {
		last = end{Failure: newFailure(err)}
	}
	_ = to.Encode(message{End: &last}) // as above
}

func (h *handler) try(ctx context.Context, work func(ctx context.Context) (end, error)) (last end, err error) {
	defer h.watched()()
	defer func() {
		if reason := recover(); reason != nil {
			err = fmt.Errorf("%w: panic: %v\n%s", sqlq.ErrEngineFault, reason, debug.Stack())
		}
	}()
	return work(ctx)
}

// readsFiles reports whether a table is one of files. If they change during a run, its rows do not count.
func readsFiles(table *sqlq.Table) bool { return table.Files != nil }

// sender sends rows.
type sender struct {
	to    *gob.Encoder
	batch *sqlq.Batch
}

// send sends rows in batches.
func (s *sender) send(rows *sqlq.Batch) error {
	vectors, err := s.batch.Vectors()
	if err != nil {
		return err
	}
	for row := range rows.Rows() {
		for i, value := range row {
			if err := vectors[i].Append(value); err != nil {
				return err
			}
		}
		if s.batch.Len() >= batchRows || s.batch.Bytes() >= batchBytes {
			if err := s.flush(vectors); err != nil {
				return err
			}
		}
	}
	return s.flush(vectors)
}

// flush sends the rows of the batch.
func (s *sender) flush(vectors []sqlq.Vector) error {
	if s.batch.Len() == 0 {
		return nil
	}
	err := s.to.Encode(message{Rows: s.batch.Len(), Columns: vectorsOf(vectors)})
	s.batch.Reset()
	return err
}

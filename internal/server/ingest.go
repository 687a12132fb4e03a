package server

import (
	"context"
	"path/filepath"
	"time"

	"github.com/google/uuid"

	"savedq/internal/api/ingesthttp"
	"savedq/internal/engines"
	"savedq/internal/logs/ingest"
)

const (
	// ingestDrain is how long the events of the last requests may take to be stored.
	ingestDrain = 30 * time.Second
	// ingestThreads is how many threads of Go the ingest writer may hold while they run no Go: one
	// that waits for fsync, and one in DuckDB.
	ingestThreads = 2
)

// openWriter starts the ingest writer, and the demo.
func (s *Server) openWriter(ctx context.Context) (err error) {
	if s.engine.Ingest == nil {
		return nil
	}
	s.allowIngestThreads()
	config, observer := s.config.Ingest, s.metrics.NewIngest(s.tables().Sources().Names())
	config.Store, config.Directory = s.engine.Ingest, filepath.Join(s.config.Data, engines.IngestLog)
	config.Clock, config.Logger, config.Observer, config.Committed = s.config.Clock, s.config.Logger, observer, s.hub.Publish
	if s.writer, err = ingest.Open(ctx, config); err != nil {
		return err
	}
	s.onClose(func() error { return s.closeWriter(ctx) })
	if s.engine.Complete != nil {
		s.background(ctx, s.engine.Complete)
	}
	observer.Gauge(s.writer)
	s.settled = make(chan struct{})
	s.background(ctx, func(ctx context.Context) {
		if s.writer.WaitStored(ctx) == nil {
			close(s.settled)
		}
	})
	if s.config.Demo {
		err = s.startDemo(ctx)
	}
	if err == nil {
		s.warnOfNoLogs(ctx)
	}
	return err
}

// closeWriter stores what is committed and ends the writer.
func (s *Server) closeWriter(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), ingestDrain)
	defer cancel()
	return s.writer.Close(ctx)
}

// ingest returns the handlers of the paths that receive events.
func (s *Server) ingest() *ingesthttp.Handlers {
	config := s.config.IngestHTTP
	config.NewID, config.Tables, config.Clock, config.Errors, config.Logger = uuid.NewString, s.tables, s.config.Clock, s.errors, s.config.Logger
	config.Follows = s.engine.Follower != nil
	if s.writer != nil {
		config.Committer = s.writer
	}
	return ingesthttp.New(config)
}

// allowIngestThreads makes up for the threads that the ingest writer holds. Go gives such a thread's
// place to another one only after up to 10 ms, in which requests would wait (ADR 037). The variable GOMAXPROCS
// takes precedence.
func (s *Server) allowIngestThreads() {
	if s.config.Getenv("GOMAXPROCS") == "" {
		s.config.RunMore(ingestThreads)
	}
}

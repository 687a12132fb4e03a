package server

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"savedq/internal/logs/demo"
	"savedq/internal/logs/logstore"
)

// demoSeed is fixed so that demo logs are the same everywhere.
const demoSeed = 1

// startDemo fills the store with demo logs and adds live ones until the server is closed. It
// does not change a store that holds other logs.
func (s *Server) startDemo(ctx context.Context) error {
	if s.writer.WaitRecovered(ctx) != nil {
		return errStopped // Close returns why
	}
	generator := demo.New(demoSeed)
	through, err := s.fillDemo(ctx, generator)
	switch {
	case errors.Is(err, logstore.ErrHoldsOtherLogs):
		_, _ = fmt.Fprintf(s.config.Output, "%s holds logs that are not demo logs: it is served as it is, and no demo logs are added.\n", s.config.Data)
		return nil
	case err != nil && ctx.Err() != nil:
		return errStopped
	case err != nil:
		return err
	}
	s.background(ctx, func(ctx context.Context) {
		live := demo.Live{After: through, Clock: s.config.Clock, Logger: s.config.Logger}
		err := demo.Run(ctx, s.writer, generator, live)
		switch {
		case errors.Is(err, logstore.ErrHoldsOtherLogs):
			s.config.Logger.WarnContext(ctx, "the store has received other events, so no more demo logs are added")
		case err != nil:
			s.config.Logger.ErrorContext(ctx, "no more demo logs are added", slog.Any("error", err))
		}
	})
	return nil
}

// fillDemo fills the store, and returns the time after which live logs go on.
func (s *Server) fillDemo(ctx context.Context, generator *demo.Generator) (time.Time, error) {
	// The demo continues after the newest event, which may not be stored yet.
	if err := s.writer.WaitStored(ctx); err != nil {
		return time.Time{}, err
	}
	began := s.config.Clock()
	filling, err := demo.Fill(ctx, s.engine.Store, generator, began, func() {
		_, _ = fmt.Fprintf(s.config.Output, "Filling %s with demo logs …\n", s.config.Data)
	})
	if err == nil {
		_, _ = fmt.Fprintln(s.config.Output, filled(filling.Events, s.config.Data, s.config.Clock().Sub(began)))
	}
	return filling.Through, err
}

// filled describes what was added to the store in a directory.
func filled(events int, data string, took time.Duration) string {
	const projects = "projects default, acme and globex"
	if events == 0 {
		return fmt.Sprintf("%s already holds the demo events of the %s.", data, projects)
	}
	plural := "s"
	if events == 1 {
		plural = ""
	}
	return fmt.Sprintf("Added %d demo event%s of the %s in %s.", events, plural, projects, took.Round(100*time.Millisecond))
}

package cli

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"savedq/internal/logs/demo"
	"savedq/internal/logs/ingest"
	"savedq/internal/logs/logstore"
)

// demoSeed is fixed so that demo logs are the same everywhere.
const demoSeed = 1

// startDemo fills the store with demo logs and adds live ones until stop is called. It
// does not change a store that holds other logs.
func startDemo(ctx context.Context, store *logstore.Store, writer *ingest.Writer, data string, term *terminal, logger *slog.Logger) (stop func(), err error) {
	// The demo continues after the newest event, which may not be stored yet.
	if err := writer.WaitStored(ctx); err != nil {
		return nil, err
	}
	generator := demo.New(demoSeed)
	began := term.clock()
	_, _ = fmt.Fprintf(term.stdout, "Filling %s with demo logs …\n", data)
	filling, err := demo.Fill(ctx, store, generator, began)
	if errors.Is(err, logstore.ErrHoldsOtherLogs) {
		_, _ = fmt.Fprintf(term.stdout, "%s holds logs that are not demo logs: it is served as it is, and no demo logs are added.\n", data)
		return func() {}, nil
	}
	if err != nil {
		return nil, err
	}
	_, _ = fmt.Fprintln(term.stdout, filled(filling.Events, data, term.clock().Sub(began)))
	ctx, cancel := context.WithCancel(ctx)
	done := make(chan struct{})
	go func() {
		defer close(done)
		live := demo.Live{After: filling.Through, Clock: term.clock, Logger: logger}
		err := demo.Run(ctx, writer, generator, live)
		switch {
		case errors.Is(err, logstore.ErrHoldsOtherLogs):
			logger.WarnContext(ctx, "the store has received other events, so no more demo logs are added")
		case err != nil:
			logger.ErrorContext(ctx, "no more demo logs are added", slog.Any("error", err))
		}
	}()
	return func() { cancel(); <-done }, nil
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

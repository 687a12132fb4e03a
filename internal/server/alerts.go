package server

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"time"

	"savedq/internal/api/alerthttp"
	"savedq/internal/auth"
	"savedq/internal/operations/alert"
	"savedq/internal/operations/usage"
	"savedq/sqlq"
)

// AlertConfig configures the alerts of saved queries.
type AlertConfig struct {
	// Disabled means that this server checks no alerts.
	Disabled bool
	// Notify is the file of targets; empty for none.
	Notify string
	// PublicURL is the address at which people open the pages; empty if it is unknown.
	PublicURL string
}

// alertsDirectory is the directory in the data directory with the states of alerts.
const alertsDirectory = "alerts"

// alertsPage is the path of the page of alerts.
const alertsPage = "/alerts"

// alerts are the parts that check alerts.
type alerts struct {
	book *alert.Book
	// keeper is nil if the server checks no alerts.
	keeper *alert.Keeper
}

// openTargets reads the targets of alerts, which the saved queries name.
func (s *Server) openTargets(ctx context.Context) error {
	targets, err := s.readTargets(ctx)
	if err == nil {
		err = mistakesIn(targets, s.current.Load().catalog.Queries())
	}
	if err != nil {
		return fmt.Errorf("--notify: %w", err)
	}
	s.targets.Store(&targets)
	return nil
}

// mistakesIn returns the names of targets that saved queries misspell as an error.
func mistakesIn(targets alert.Targets, queries []*sqlq.SavedQuery) error {
	if found := targets.Mistakes(queries); len(found) > 0 {
		return found
	}
	return nil
}

func (s *Server) readTargets(ctx context.Context) (alert.Targets, error) {
	file := s.config.Alerts.Notify
	if file == "" {
		return nil, nil //nolint:nilnil // Without a file there are none.
	}
	targets, readable, err := alert.ReadTargets(file)
	if readable {
		s.config.Logger.WarnContext(ctx, "every user of this machine can read the file of targets, which can hold secrets",
			slog.String("file", file), slog.String("run", "chmod o-r "+file))
	}
	return targets, err
}

// currentTargets returns the targets in use.
func (s *Server) currentTargets() alert.Targets { return *s.targets.Load() }

// openAlerts starts to check alerts, unless they are disabled, and to send their messages.
func (s *Server) openAlerts(ctx context.Context) error {
	queries := s.current.Load().catalog.Queries()
	if s.config.Alerts.Disabled {
		book, err := alert.OpenBook(alert.Nowhere{}, func(string) bool { return false })
		s.alerts.book = book
		return errors.Join(err, book.Use(alert.Definitions(queries), s.config.Clock()))
	}
	directory := filepath.Join(s.config.Data, alertsDirectory)
	store, err := alert.OpenDirectory(directory)
	if err == nil {
		s.alerts.book, err = alert.OpenBook(store, func(target string) bool { _, known := s.currentTargets()[target]; return known })
	}
	if err != nil {
		return fmt.Errorf("--data: the states of alerts cannot be kept in %s: %w", directory, err)
	}
	counted := s.metrics.NewAlerts(func() alert.Counts { return s.alerts.book.Counts(s.config.Clock()) })
	s.alerts.book.Observe(counted)
	sender := alert.NewHTTPSender(s.config.Clock)
	s.onClose(func() error { sender.Close(); return nil })
	deliverer := &alert.Deliverer{
		Book: s.alerts.book, Targets: s.currentTargets, Sender: sender, Page: s.alertsPage(), Clock: s.config.Clock,
		Random: rand.Float64, Observer: counted, Logger: s.config.Logger,
	}
	s.background(ctx, deliverer.Run)
	s.alerts.keeper = alert.NewKeeper(alert.KeeperConfig{
		Book: s.alerts.book, Runner: alertRunner{s.tracing.Runner(s.runner), s.runs}, Account: s.ledger.Caller(usage.Server(), usage.Budget{}), Settled: s.settled,
		Concurrency: max(1, s.config.Runner.WarmConcurrency), Targets: s.currentTargets, Clock: s.config.Clock, Observer: counted, Logger: s.config.Logger,
	})
	s.useAlerts(ctx, queries)
	s.warnOfNoTargets(ctx, queries)
	s.background(ctx, s.alerts.keeper.Run)
	return nil
}

// alertsPage returns the address of the page of alerts; empty if it is unknown.
func (s *Server) alertsPage() string {
	if s.config.Alerts.PublicURL == "" {
		return ""
	}
	return s.config.Alerts.PublicURL + alertsPage
}

// useAlerts replaces the alerts.
func (s *Server) useAlerts(ctx context.Context, queries []*sqlq.SavedQuery) {
	if s.alerts.keeper != nil {
		s.alerts.keeper.Use(ctx, queries)
	} else if s.alerts.book != nil {
		_ = s.alerts.book.Use(alert.Definitions(queries), s.config.Clock()) // stores nothing
	}
}

// warnOfNoTargets logs a warning if alerts name targets, but there is no file of them.
func (s *Server) warnOfNoTargets(ctx context.Context, queries []*sqlq.SavedQuery) {
	if s.currentTargets() != nil {
		return
	}
	for _, definition := range alert.Definitions(queries) {
		if len(definition.Alert.Notify) > 0 {
			s.config.Logger.WarnContext(ctx, "alerts name targets, but no messages are sent without a file of targets; add --notify FILE",
				slog.String("endpoint", definition.Query.Name), slog.String("alert", definition.Alert.Name))
			return
		}
	}
}

// reloadTargets reads the targets again, so that the saved queries, which are reloaded after that, can
// name new ones. check brings the previous ones back if the saved queries in use name others.
func (s *Server) reloadTargets(ctx context.Context) (check func()) {
	previous := s.targets.Load()
	if s.config.Alerts.Notify == "" {
		return func() {}
	}
	const message = "the file of targets cannot be used, the previous targets stay in effect"
	targets, err := s.readTargets(ctx)
	if err != nil {
		s.config.Logger.ErrorContext(ctx, message, slog.Any("error", err))
		return func() {}
	}
	s.targets.Store(&targets)
	return func() {
		if err := mistakesIn(targets, s.current.Load().catalog.Queries()); err != nil {
			s.targets.Store(previous)
			s.config.Logger.ErrorContext(ctx, message, slog.Any("error", err))
			return
		}
		s.config.Logger.InfoContext(ctx, "the targets of alerts were reloaded")
	}
}

// listAlerts returns the alerts that the token of a request may see.
func (s *Server) listAlerts(ctx context.Context) alerthttp.Body {
	next := func(string) time.Time { return time.Time{} }
	if s.alerts.keeper != nil {
		next = s.alerts.keeper.Next
	}
	scoped := s.current.Load().scoped
	listed := s.alerts.book.List(func(query *sqlq.SavedQuery, params map[string][]string) bool {
		return scoped.MayRunAlert(ctx, query, params)
	}, next, s.config.Clock())
	if !auth.Unlimited(ctx) { // targets are the operator's
		for i := range listed {
			listed[i] = listed[i].WithoutOperator()
		}
	}
	body := alerthttp.Body{
		Alerts: listed, Manages: s.alerts.keeper != nil && auth.ManagesAlerts(ctx), Saves: s.writesFolders(ctx), Targets: []string{},
	}
	if auth.Unlimited(ctx) {
		body.Targets = slices.AppendSeq(body.Targets, maps.Keys(s.currentTargets()))
		slices.Sort(body.Targets)
	}
	return body
}

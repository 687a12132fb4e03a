package server

import (
	"context"
	"errors"
	"log/slog"
	"time"

	"savedq/internal/api/alerthttp"
	"savedq/internal/auth"
	"savedq/internal/operations/alert"
	"savedq/sqlq"
)

// alertsConfig returns what serves alerts.
func (s *Server) alertsConfig() alerthttp.Config {
	return alerthttp.Config{
		List: s.listAlerts, Silence: s.silence, Acknowledge: s.acknowledge, Check: s.checkAlert, Preview: s.previewAlert, Save: s.saveAlert, Delete: s.deleteAlert, Clock: s.config.Clock, Errors: s.errors,
	}
}

// silence keeps the messages of an alert back, or ends that.
func (s *Server) silence(ctx context.Context, request alerthttp.SilenceRequest) error {
	definition, by, err := s.managed(ctx, request.Named)
	if err != nil {
		return err
	}
	logger := s.config.Logger.With(slog.String("endpoint", request.Query), slog.String("alert", request.Name), slog.String("token", by))
	if request.Until == nil {
		err := noteError(s.alerts.book.Silence(definition, nil))
		if err == nil {
			logger.InfoContext(ctx, "the silence of an alert was ended")
		}
		return err
	}
	err = noteError(s.alerts.book.Silence(definition, &alert.Silence{Until: *request.Until, Reason: request.Reason, By: by, At: s.noteTime()}))
	if err == nil {
		logger.InfoContext(ctx, "an alert was silenced", slog.Time("until", *request.Until), slog.String("reason", request.Reason))
	}
	return err
}

// acknowledge notes that somebody knows of the state of an alert, or takes it back.
func (s *Server) acknowledge(ctx context.Context, request alerthttp.AcknowledgeRequest) error {
	definition, by, err := s.managed(ctx, request.Named)
	if err != nil {
		return err
	}
	acknowledged := &alert.Acknowledgement{Reason: request.Reason, By: by, At: s.noteTime()}
	if request.Undo {
		acknowledged = nil
	}
	err = noteError(s.alerts.book.Acknowledge(definition, acknowledged))
	if err == nil {
		s.config.Logger.InfoContext(ctx, "an alert was acknowledged", slog.String("endpoint", request.Query), slog.String("alert", request.Name),
			slog.String("token", by), slog.String("reason", request.Reason), slog.Bool("undone", request.Undo))
	}
	return err
}

// noteTime returns the time of a note, as it is stored.
func (s *Server) noteTime() time.Time { return s.config.Clock().UTC().Truncate(time.Millisecond) }

// managed returns an alert that the token of a request may silence and acknowledge, with the name of the token.
func (s *Server) managed(ctx context.Context, named alerthttp.Named) (definition *alert.Definition, by string, err error) {
	if !auth.ManagesAlerts(ctx) {
		return nil, "", sqlq.Errorf(sqlq.PermissionDenied, "the token may not silence and acknowledge alerts; use one with alerts")
	}
	if s.alerts.keeper == nil {
		return nil, "", sqlq.Errorf(sqlq.InvalidArgument, "this server checks no alerts, and sends no messages; ask the one that runs without --no-alerts")
	}
	found, err := s.visibleAlert(ctx, named)
	token, _ := auth.FromContext(ctx)
	return found, token.Name, err
}

// visibleAlert returns an alert that the token of a request may see.
func (s *Server) visibleAlert(ctx context.Context, named alerthttp.Named) (*alert.Definition, error) {
	found, known := s.alerts.book.Find(named.Query, named.Name)
	if !known || !s.current.Load().scoped.MayRunAlert(ctx, found.Query, found.Alert.Params) {
		return nil, noAlert(named)
	}
	return &found, nil
}

func noAlert(named alerthttp.Named) error {
	return sqlq.Errorf(sqlq.NotFound, "there is no alert %s of %s that the token may see", sqlq.Quote(named.Name), sqlq.Quote(named.Query))
}

// noteError returns the error that the caller of a note gets.
func noteError(err error) error {
	switch {
	case errors.Is(err, alert.ErrUnknown): // removed at this moment
		return sqlq.Errorf(sqlq.NotFound, "the alert is no longer declared")
	case errors.Is(err, alert.ErrNothingToAcknowledge):
		return sqlq.ParamErrorf("name", "%s; there is nothing to acknowledge", err)
	}
	return err
}

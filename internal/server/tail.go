package server

import (
	"context"
	"net/http"
	"unicode/utf8"

	"savedq/graph"
	"savedq/internal/api/graphqlhttp"
	"savedq/internal/auth"
	"savedq/internal/logs/logevent"
	"savedq/internal/logs/tail"
	"savedq/resolvers"
	"savedq/sqlq"
)

// maxTailText limits the project and the filter of a subscription, in characters.
const maxTailText = 256

// follow returns a reader of the events of the ingest writer that the caller of a request may
// see. The error is INVALID_ARGUMENT or PERMISSION_DENIED, and names the argument.
func (s *Server) follow(ctx context.Context, filter resolvers.TailFilter) (resolvers.TailReader, error) {
	token, found := auth.FromContext(ctx)
	if !found || !mayTail(token) {
		return nil, sqlq.Errorf(sqlq.PermissionDenied, "the token is limited to certain saved queries, and so may not follow logs")
	}
	chosen := tail.Filter{Project: filter.Project, Allowed: token.Projects, Words: tail.Words(filter.Text)}
	for _, argument := range []struct{ name, value string }{{"project", filter.Project}, {"filter", filter.Text}} {
		if utf8.RuneCountInString(argument.value) > maxTailText {
			return nil, wrongArgument(sqlq.InvalidArgument, argument.name, "has more than 256 characters")
		}
	}
	if filter.Project != "" && !token.AllowsProject(filter.Project) {
		return nil, wrongArgument(sqlq.PermissionDenied, "project", "the token does not allow this project")
	}
	if filter.Source != "" {
		source, err := s.tables().Source(filter.Source)
		if err != nil {
			return nil, wrongArgument(sqlq.InvalidArgument, "source", err.Error())
		}
		chosen.Table = source.Name
	}
	subscription, err := s.hub.Subscribe(tailCaller(token), chosen)
	if err != nil {
		return nil, err
	}
	return &tailReader{subscription}, nil
}

// tailCaller returns whose subscriptions are limited together: a token that is limited
// to projects, which pages of other people's browsers can hold, or of the subject of a signed
// one. It is empty for other tokens.
func tailCaller(token auth.Token) string {
	switch {
	case token.Issuer != "":
		return token.Issuer + "\n" + token.Subject
	case token.Projects != nil:
		return token.Name
	}
	return ""
}

// wrongArgument returns an error about an argument.
func wrongArgument(code sqlq.Code, argument, problem string) error {
	err := sqlq.Errorf(code, "%s", problem)
	err.Param = argument
	return err
}

// mayTail reports whether a token may follow logs. A limit to certain saved queries, or to values
// of a parameter that is not the project, includes
// no others, and logs are more than any saved query returns.
func mayTail(token auth.Token) bool { return token.Endpoints == nil && token.Bound == nil }

// tailReader reads a subscription as GraphQL objects.
type tailReader struct{ *tail.Subscription }

// Next implements [resolvers.TailReader].
func (r *tailReader) Next(ctx context.Context, most int) ([]graph.TailedEvent, int, error) {
	batch, err := r.Subscription.Next(ctx, most)
	if err != nil {
		return nil, 0, err
	}
	events := make([]graph.TailedEvent, len(batch.Events))
	for i := range batch.Events {
		events[i] = tailedEvent(&batch.Events[i])
	}
	return events, batch.Dropped, nil
}

func tailedEvent(event *logevent.Sourced) graph.TailedEvent {
	tailed := graph.TailedEvent{
		ID: event.Source.Name + ":" + event.ID, EventID: event.ID, Timestamp: event.Timestamp, Source: event.Source.Name,
		EventMessage: event.EventMessage, Metadata: event.Metadata,
	}
	if projects := tail.Projects(event); len(projects) > 0 {
		tailed.Project = &projects[0]
	}
	return tailed
}

// openStreams opens subscriptions.
func (s *Server) openStreams() {
	sessions := &auth.Sessions{Keyring: s.access.keyring, Clock: s.config.Clock, Logger: s.config.Logger}
	stopping, stop := context.WithCancelCause(context.Background())
	s.stopStreams = func() { stop(nil) }
	s.streams = graphqlhttp.Streams{
		Open: func(ctx context.Context, header http.Header, token string) (graphqlhttp.Session, error) {
			session, err := sessions.Open(ctx, header, token)
			if err != nil {
				return nil, err
			}
			return session, nil
		},
		Current: func() http.Handler { return s.current.Load().graphQL },
		Origins: s.config.Origins, Stopping: stopping, Clock: s.config.Clock,
		Timing: s.config.GraphQL.Streams.Timing,
	}
}

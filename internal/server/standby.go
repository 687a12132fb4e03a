package server

import (
	"context"
	"log/slog"
	"net/http"
	"time"
)

// WrittenHeader is the header of a standby's responses with the time when the manifest of the data that it serves was
// written.
const WrittenHeader = "X-Store-Written"

// startFollowing takes up the changes of the store that a standby follows.
func (s *Server) startFollowing(ctx context.Context) error {
	follower := s.engine.Follower
	if follower == nil {
		return nil
	}
	counted := s.metrics.NewStandby(func() time.Time { return follower.Shown().Written },
		func() bool { return !follower.Shown().Waiting.IsZero() })
	s.metrics.WatchStore(func() int { return len(follower.Shown().Damaged) }, follower.Reopenings)
	s.readiness.ShowWritten(func() time.Time { return follower.Shown().Written })
	s.background(ctx, func(ctx context.Context) {
		ticker := time.NewTicker(s.config.FollowInterval)
		defer ticker.Stop()
		failing := false
		for {
			select {
			case <-ctx.Done():
				return
			case <-ticker.C:
			}
			changed, err := follower.Refresh(ctx)
			switch {
			case ctx.Err() != nil:
				return
			case err != nil && !failing:
				s.config.Logger.WarnContext(ctx, "the store cannot be followed, trying again; what was shown is still served", slog.Any("error", err))
			case err == nil && failing:
				s.config.Logger.InfoContext(ctx, "the store is followed again")
			}
			failing = err != nil
			counted.Refreshed(changed, err)
		}
	})
	return nil
}

// showWritten makes the responses of a standby tell when the data that it serves was written.
func (s *Server) showWritten(next http.Handler) http.Handler {
	follower := s.engine.Follower
	if follower == nil {
		return next
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set(WrittenHeader, follower.Shown().Written.UTC().Format(time.RFC3339))
		next.ServeHTTP(w, r)
	})
}

package auth

import (
	"log/slog"
	"math"
	"net/http"
	"time"

	"savedq/internal/http/httpstatus"
	"savedq/internal/observe/requestlog"
	"savedq/sqlq"
)

// HandlerConfig is what [Handler] works with. Every field is required.
type HandlerConfig struct {
	Keyring *Keyring
	Clock   func() time.Time
	Logger  *slog.Logger
	// WriteError answers with an [*sqlq.Error] in the form of the interface that is
	// asked.
	WriteError func(w http.ResponseWriter, r *http.Request, err error)
}

// Handler lets requests in that present a token which is not beyond its rate, with
// the token in their context. All others are denied, and logged within the limits of
// [requestlog.Limiter], whatever they ask for: a caller without a token cannot tell
// what exists (D17).
func Handler(next http.Handler, config HandlerConfig) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		g, err := config.authenticate(r.Header)
		if err != nil {
			w.Header().Set("WWW-Authenticate", `Bearer realm="savedq"`) // RFC 6750 wants more than the scheme
		} else if wait := g.admit(config.Clock()); wait > 0 {
			err = sqlq.Rejectf(sqlq.ResourceExhausted, wait,
				"the token's rate of %v requests a second is used up; try again in %d s", g.token.Rate, httpstatus.WholeSeconds(wait))
		}
		name := ""
		if g != nil {
			name = g.token.Name
		}
		requestlog.NoteToken(r.Context(), name, err == nil)
		if err != nil {
			logDenied(r.Context(), config.Logger, err)
			config.WriteError(w, r, err)
			return
		}
		next.ServeHTTP(w, r.WithContext(withGrant(r.Context(), g)))
	})
}

// authenticate returns the grant of the token that the headers present: with the
// error where it has expired.
func (c *HandlerConfig) authenticate(header http.Header) (*grant, error) {
	presented, err := presentedIn(header)
	if err != nil {
		return nil, err
	}
	return c.Keyring.authenticate(presented, c.Clock())
}

// admit counts a request and returns zero, or how long it is until one is let in.
func (g *grant) admit(now time.Time) time.Duration {
	// A reservation that is cancelled would not give back what it took if another
	// one was made meanwhile, so the limiter is asked without one.
	if g.limiter == nil || g.limiter.AllowN(now, 1) {
		return 0
	}
	missing := 1 - g.limiter.TokensAt(now)
	wait := missing / g.token.Rate * float64(time.Second)
	return time.Duration(max(1, min(wait, math.MaxInt64/2)))
}

// NoAuth lets every request in, with a token that may do everything. It is for a
// server that only its own machine can reach.
func NoAuth(next http.Handler) http.Handler {
	everything := newGrant(FullAccess("no-auth"))
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		requestlog.NoteToken(r.Context(), "", true)
		next.ServeHTTP(w, r.WithContext(withGrant(r.Context(), everything)))
	})
}

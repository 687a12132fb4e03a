package jwt

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"sync"
	"sync/atomic"
	"time"

	"savedq/internal/http/outgoing"
)

const (
	// fetchTimeout is how long fetching keys may take.
	fetchTimeout = 5 * time.Second
	// fetchBytes limits the response.
	fetchBytes = 1 << 20
	// fetchPause is how long after an attempt an unknown key id causes the next one.
	fetchPause = 10 * time.Second
	// refreshInterval is how often keys are fetched, so that a removed key is noticed, and
	// retryInterval how long after a failure.
	refreshInterval = 5 * time.Minute
	retryInterval   = 30 * time.Second
)

// keySource holds the keys of an issuer, of a file or from a URL. After a failed fetch the previous
// keys stay in use, however long the failure lasts. It is safe for concurrent use.
type keySource struct {
	current atomic.Pointer[keySet]
	// url is empty for keys of a file, which need nothing of the following.
	url        string
	algorithms []string
	client     *http.Client
	clock      func() time.Time
	logger     *slog.Logger

	mutex sync.Mutex
	// ended is closed when the fetch in flight ends; nil if there is none.
	ended chan struct{}
	// attempted is when the last fetch started.
	attempted time.Time
	// next is when keys are due to be fetched, in nanoseconds since 1970.
	next    atomic.Int64
	running sync.WaitGroup
}

// refreshIfDue starts a fetch if the keys have not been fetched for a while. It does not wait
// for it.
func (s *keySource) refreshIfDue() {
	if s.url != "" && s.clock().UnixNano() >= s.next.Load() {
		s.start()
	}
}

// refetch fetches the keys again and waits for them, unless they were fetched a moment ago. It
// joins a fetch in flight.
func (s *keySource) refetch(ctx context.Context) {
	if ended := s.start(); ended != nil { //nolint:contextcheck // The fetch is for all callers, and outlives each.
		select {
		case <-ended:
		case <-ctx.Done():
		}
	}
}

// start starts a fetch unless one is in flight, and returns a channel that is closed when it
// ends. It returns nil if the last one started a moment ago, or the keys are of a file.
func (s *keySource) start() <-chan struct{} {
	if s.url == "" {
		return nil
	}
	s.mutex.Lock()
	defer s.mutex.Unlock()
	now := s.clock()
	switch {
	case s.ended != nil:
		return s.ended
	case !s.attempted.IsZero() && now.Sub(s.attempted) < fetchPause:
		return nil
	}
	s.attempted, s.ended = now, make(chan struct{})
	s.next.Store(now.Add(refreshInterval).UnixNano())
	s.running.Go(func() {
		set, err := s.fetch()
		s.mutex.Lock()
		defer s.mutex.Unlock()
		if err != nil {
			s.next.Store(now.Add(retryInterval).UnixNano())
			s.logger.Warn("the keys of an issuer of tokens cannot be fetched; the known keys stay in use",
				slog.String("url", s.url), slog.Any("error", err))
		} else if current := s.current.Load(); current == nil || current.digest != set.digest {
			s.current.Store(set)
		}
		close(s.ended)
		s.ended = nil
	})
	return s.ended
}

// fetch returns the keys that the URL has now.
func (s *keySource) fetch() (*keySet, error) {
	ctx, cancel := context.WithTimeout(context.Background(), fetchTimeout)
	defer cancel()
	request, err := outgoing.NewRequest(ctx, http.MethodGet, s.url, nil)
	if err != nil {
		return nil, err
	}
	request.Header.Set("Accept", "application/jwk-set+json, application/json")
	response, err := s.client.Do(request)
	if err != nil {
		return nil, err
	}
	defer response.Body.Close() //nolint:errcheck // The body was only read.
	if response.StatusCode != http.StatusOK {
		return nil, fmt.Errorf("the status is %d, not 200", response.StatusCode)
	}
	body, err := io.ReadAll(io.LimitReader(response.Body, fetchBytes+1))
	if err != nil {
		return nil, err
	}
	if len(body) > fetchBytes {
		return nil, fmt.Errorf("the response has more than %d bytes", fetchBytes)
	}
	return readKeys(body, s.algorithms, true)
}

// newClient returns a client that does not follow redirects: the file names where keys are.
func newClient() *http.Client {
	return &http.Client{
		Timeout: fetchTimeout,
		CheckRedirect: func(*http.Request, []*http.Request) error {
			return errors.New("the URL redirects; name the address at which the keys are")
		},
	}
}

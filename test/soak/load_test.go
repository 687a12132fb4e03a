package soak

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"slices"
	"strconv"
	"sync"
	"time"
)

// connections is the maximum number of callers, and capacityConnections how many
// saturate the server.
const (
	connections         = 800
	capacityConnections = 64
)

// leavesAfter is the maximum wait of callers that leave early.
const leavesAfter = 20 * time.Millisecond

// load sends the traffic to a server and records the outcomes.
type load struct {
	server *server
	client *http.Client
	kinds  []kind

	mutex    sync.Mutex
	outcomes map[string]map[string]int
	took     map[string][]time.Duration
	// succeeded is how long the responses with the status 200 took.
	succeeded []time.Duration
	mistakes  []string
	sent      int
}

func newLoad(s *server) *load {
	return &load{
		server: s, kinds: traffic(),
		client: &http.Client{Transport: &http.Transport{
			MaxIdleConns: connections, MaxIdleConnsPerHost: connections, DisableCompression: true,
		}},
		outcomes: make(map[string]map[string]int),
		took:     make(map[string][]time.Duration),
	}
}

// full sends as many requests as the callers can for some time, and returns the responses
// per second.
func (l *load) full(ctx context.Context, callers int, duration time.Duration) float64 {
	ctx, stop := context.WithTimeout(ctx, duration)
	defer stop()
	requests := make(chan struct{})
	go func() {
		defer close(requests)
		for {
			select {
			case requests <- struct{}{}:
			case <-ctx.Done():
				return
			}
		}
	}()
	began := time.Now()
	before := l.sent
	l.send(requests, callers)
	return float64(l.sent-before) / time.Since(began).Seconds()
}

// paced sends requests at a rate per second, without waiting for responses, as long as a
// caller has a free connection. It returns how many could not be sent.
func (l *load) paced(ctx context.Context, rate float64, callers int, duration time.Duration) (notSent int) {
	ctx, stop := context.WithTimeout(ctx, duration)
	defer stop()
	requests := make(chan struct{})
	go func() {
		defer close(requests)
		tick := time.NewTicker(time.Millisecond)
		defer tick.Stop()
		began := time.Now()
		due := 0
		for {
			select {
			case <-ctx.Done():
				return
			case <-tick.C:
			}
			for ; due < int(rate*time.Since(began).Seconds()); due++ {
				select {
				case requests <- struct{}{}:
				default:
					notSent++
				}
			}
		}
	}()
	l.send(requests, callers)
	return notSent
}

// once sends a request of each caller at the same time.
func (l *load) once(callers int) {
	requests := make(chan struct{}, callers)
	for range callers {
		requests <- struct{}{}
	}
	close(requests)
	l.send(requests, callers)
}

// send sends a request for each value of the channel.
func (l *load) send(requests <-chan struct{}, callers int) {
	var sending sync.WaitGroup
	for caller := range callers {
		random := rand.New(rand.NewPCG(uint64(caller), uint64(time.Now().UnixNano())))
		sending.Go(func() {
			for range requests {
				l.exchange(l.choose(random), random)
			}
		})
	}
	sending.Wait()
}

// choose returns a random kind of request, by its share.
func (l *load) choose(random *rand.Rand) *kind {
	at := random.IntN(100)
	for i := range l.kinds {
		if at -= l.kinds[i].share; at < 0 {
			return &l.kinds[i]
		}
	}
	panic("the shares of the traffic are less than a hundred")
}

// exchange sends one request and records its outcome.
func (l *load) exchange(k *kind, random *rand.Rand) {
	ctx := context.Background()
	if k.leaves {
		var leave context.CancelFunc
		ctx, leave = context.WithTimeout(ctx, time.Duration(random.Int64N(int64(leavesAfter))))
		defer leave()
	}
	began := time.Now()
	response, err := l.client.Do(l.request(k, random).WithContext(ctx))
	var body []byte
	if err == nil {
		body, err = io.ReadAll(response.Body)
		_ = response.Body.Close()
	}
	took := time.Since(began)
	switch {
	case err != nil && k.leaves && ctx.Err() != nil:
		l.note(k, "left", took, "")
	case err != nil:
		l.note(k, "no response", took, err.Error())
	default:
		outcome := outcomeOf(response, body)
		mistake := ""
		if !allowed(k, outcome) || !saysWhen(response) {
			mistake = fmt.Sprintf("%s: %s %v %s", k.name, outcome, response.Header, body)
		}
		l.note(k, outcome, took, mistake)
	}
}

// outcomeOf returns the status, or the one for the code of a GraphQL error.
func outcomeOf(response *http.Response, body []byte) string {
	if response.StatusCode == http.StatusOK && bytes.HasPrefix(body, []byte(`{"errors"`)) {
		var response struct {
			Errors []struct{ Extensions struct{ Code string } }
		}
		if err := json.Unmarshal(body, &response); err != nil || len(response.Errors) == 0 {
			return "nonsense"
		}
		if code := response.Errors[0].Extensions.Code; code != "UNAVAILABLE" {
			return code
		}
		return "503"
	}
	if response.StatusCode == http.StatusOK && !json.Valid(body) {
		return "nonsense"
	}
	return strconv.Itoa(response.StatusCode)
}

// request returns a request with the token of its kind.
func (l *load) request(k *kind, random *rand.Rand) *http.Request {
	request := k.make(l.server.address, random)
	token := l.server.token
	if k.metered {
		token = l.server.metered
	}
	request.Header.Set("X-API-KEY", token)
	return request
}

// allowed reports whether a kind of request may have an outcome. An overloaded server may
// reject any request, but only requests of the metered token for their rate.
func allowed(k *kind, outcome string) bool {
	return outcome == "503" || outcome == "429" && k.metered ||
		slices.ContainsFunc(k.statuses, func(status int) bool { return strconv.Itoa(status) == outcome })
}

// saysWhen reports whether a response that rejects a request has a valid Retry-After.
func saysWhen(response *http.Response) bool {
	if response.StatusCode != http.StatusTooManyRequests && response.StatusCode != http.StatusServiceUnavailable {
		return true
	}
	seconds, err := strconv.Atoi(response.Header.Get("Retry-After"))
	return err == nil && seconds > 0
}

// count returns how many requests had an outcome.
func (l *load) count(outcome string) int {
	count := 0
	for _, outcomes := range l.outcomes {
		count += outcomes[outcome]
	}
	return count
}

func (l *load) note(k *kind, outcome string, took time.Duration, mistake string) {
	const mostMistakes = 10
	l.mutex.Lock()
	defer l.mutex.Unlock()
	l.sent++
	if l.outcomes[k.name] == nil {
		l.outcomes[k.name] = make(map[string]int)
	}
	l.outcomes[k.name][outcome]++
	l.took[k.name] = append(l.took[k.name], took)
	if outcome == "200" {
		l.succeeded = append(l.succeeded, took)
	}
	if mistake != "" && len(l.mistakes) < mostMistakes {
		l.mistakes = append(l.mistakes, mistake)
	}
}

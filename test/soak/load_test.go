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

// connections is how many callers there are at most, and capacityConnections how many
// it takes to keep the server as busy as it can be.
const (
	connections         = 800
	capacityConnections = 64
)

// leavesAfter is how long a caller waits at most who leaves.
const leavesAfter = 20 * time.Millisecond

// load sends the traffic to a server and notes what comes.
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

// full sends as much as so many connections can for some time, and returns how many
// requests were answered in a second.
func (l *load) full(ctx context.Context, callers int, duration time.Duration) float64 {
	ctx, stop := context.WithTimeout(ctx, duration)
	defer stop()
	tickets := make(chan struct{})
	go func() {
		defer close(tickets)
		for {
			select {
			case tickets <- struct{}{}:
			case <-ctx.Done():
				return
			}
		}
	}()
	began := time.Now()
	before := l.sent
	l.send(tickets, callers)
	return float64(l.sent-before) / time.Since(began).Seconds()
}

// paced sends so many requests in a second, whether they are answered or not, as long
// as one of the callers has its connection free. It returns how many could not be sent.
func (l *load) paced(ctx context.Context, rate float64, callers int, duration time.Duration) (notSent int) {
	ctx, stop := context.WithTimeout(ctx, duration)
	defer stop()
	tickets := make(chan struct{})
	go func() {
		defer close(tickets)
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
				case tickets <- struct{}{}:
				default:
					notSent++
				}
			}
		}
	}()
	l.send(tickets, callers)
	return notSent
}

// once sends so many requests at the same time.
func (l *load) once(callers int) {
	tickets := make(chan struct{}, callers)
	for range callers {
		tickets <- struct{}{}
	}
	close(tickets)
	l.send(tickets, callers)
}

// send sends a request for each ticket.
func (l *load) send(tickets <-chan struct{}, callers int) {
	var sending sync.WaitGroup
	for caller := range callers {
		random := rand.New(rand.NewPCG(uint64(caller), uint64(time.Now().UnixNano())))
		sending.Go(func() {
			for range tickets {
				l.exchange(l.choose(random), random)
			}
		})
	}
	sending.Wait()
}

// choose chooses a kind of request by its share.
func (l *load) choose(random *rand.Rand) *kind {
	at := random.IntN(100)
	for i := range l.kinds {
		if at -= l.kinds[i].share; at < 0 {
			return &l.kinds[i]
		}
	}
	panic("the shares of the traffic are less than a hundred")
}

// exchange sends one request and notes what comes.
func (l *load) exchange(k *kind, random *rand.Rand) {
	ctx := context.Background()
	if k.leaves {
		var leave context.CancelFunc
		ctx, leave = context.WithTimeout(ctx, time.Duration(random.Int64N(int64(leavesAfter))))
		defer leave()
	}
	began := time.Now()
	answer, err := l.client.Do(l.request(k, random).WithContext(ctx))
	var body []byte
	if err == nil {
		body, err = io.ReadAll(answer.Body)
		_ = answer.Body.Close()
	}
	took := time.Since(began)
	switch {
	case err != nil && k.leaves && ctx.Err() != nil:
		l.note(k, "left", took, "")
	case err != nil:
		l.note(k, "no answer", took, err.Error())
	default:
		outcome := outcomeOf(answer, body)
		mistake := ""
		if !allowed(k, outcome) || !saysWhen(answer) {
			mistake = fmt.Sprintf("%s: %s %v %s", k.name, outcome, answer.Header, body)
		}
		l.note(k, outcome, took, mistake)
	}
}

// outcomeOf is the status, or the one that stands for the code of a GraphQL error.
func outcomeOf(answer *http.Response, body []byte) string {
	if answer.StatusCode == http.StatusOK && bytes.HasPrefix(body, []byte(`{"errors"`)) {
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
	if answer.StatusCode == http.StatusOK && !json.Valid(body) {
		return "nonsense"
	}
	return strconv.Itoa(answer.StatusCode)
}

// request makes a request with the token of its kind.
func (l *load) request(k *kind, random *rand.Rand) *http.Request {
	asked := k.make(l.server.address, random)
	token := l.server.token
	if k.metered {
		token = l.server.metered
	}
	asked.Header.Set("X-API-KEY", token)
	return asked
}

// allowed reports whether a kind of request may have an outcome. A server that has too
// much to do may turn away all of them, but none for the rate of another's token.
func allowed(k *kind, outcome string) bool {
	return outcome == "503" || outcome == "429" && k.metered ||
		slices.ContainsFunc(k.statuses, func(status int) bool { return strconv.Itoa(status) == outcome })
}

// saysWhen reports whether an answer that turns its caller away tells when to come back.
func saysWhen(answer *http.Response) bool {
	if answer.StatusCode != http.StatusTooManyRequests && answer.StatusCode != http.StatusServiceUnavailable {
		return true
	}
	seconds, err := strconv.Atoi(answer.Header.Get("Retry-After"))
	return err == nil && seconds > 0
}

// count is how many requests had an outcome.
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

package resolvers

import (
	"context"
	"maps"
	"slices"
	"sync"

	"savedq/sqlq/runner"
)

// Responses collects the responses to an operation's fields, which run concurrently.
type Responses struct {
	// NoCache reports whether the request bypasses cached rows.
	NoCache bool

	mutex    sync.Mutex
	byKey    map[string]*runner.Response
	failures []error
	personal bool
}

type responsesKey struct{}

// WithResponses returns a context in which the fields of one operation add their responses
// to gathered.
func WithResponses(ctx context.Context, gathered *Responses) context.Context {
	return context.WithValue(ctx, responsesKey{}, gathered)
}

func responsesOf(ctx context.Context) *Responses {
	return ctx.Value(responsesKey{}).(*Responses) // set for every operation
}

// add adds the response to a field with its response key: its alias, or otherwise its name.
func (r *Responses) add(key string, response *runner.Response) {
	r.mutex.Lock()
	defer r.mutex.Unlock()
	if r.byKey == nil {
		r.byKey = make(map[string]*runner.Response)
	}
	r.byKey[key] = response
}

// addFailure adds the error of a field.
func (r *Responses) addFailure(err error) {
	r.mutex.Lock()
	defer r.mutex.Unlock()
	r.failures = append(r.failures, err)
}

// addPersonal records that a field depends on the caller's token beyond what it may see.
func (r *Responses) addPersonal() {
	r.mutex.Lock()
	defer r.mutex.Unlock()
	r.personal = true
}

// Personal reports whether the response is for this caller only. It must not be called
// before all fields have run.
func (r *Responses) Personal() bool { return r.personal }

// Sorted returns all response keys and responses, in the order of the keys. It must not be
// called before all fields have run.
func (r *Responses) Sorted() (keys []string, responses []*runner.Response) {
	keys = slices.Sorted(maps.Keys(r.byKey))
	responses = make([]*runner.Response, len(keys))
	for i, key := range keys {
		responses[i] = r.byKey[key]
	}
	return keys, responses
}

// Failures returns the errors of the fields whose saved queries failed. It must not be
// called before all fields have run.
func (r *Responses) Failures() []error { return r.failures }

package resolvers

import (
	"context"
	"maps"
	"slices"
	"sync"

	"savedq/sqlq/runner"
)

// Responses gathers the responses to an operation's fields, which run side by side.
type Responses struct {
	// NoCache says that the caller does not want rows that were kept.
	NoCache bool

	mutex    sync.Mutex
	byKey    map[string]*runner.Response
	failures []error
	personal bool
}

type repliesKey struct{}

// WithResponses returns a context in which the fields of one operation find where they
// hand in the responses to them.
func WithResponses(ctx context.Context, gathered *Responses) context.Context {
	return context.WithValue(ctx, repliesKey{}, gathered)
}

func repliesOf(ctx context.Context) *Responses {
	return ctx.Value(repliesKey{}).(*Responses) // no operation is run without
}

// add takes the response to a field with its response key: the alias where there is one,
// the name otherwise.
func (r *Responses) add(key string, response *runner.Response) {
	r.mutex.Lock()
	defer r.mutex.Unlock()
	if r.byKey == nil {
		r.byKey = make(map[string]*runner.Response)
	}
	r.byKey[key] = response
}

// addFailure takes the failure of a field.
func (r *Responses) addFailure(err error) {
	r.mutex.Lock()
	defer r.mutex.Unlock()
	r.failures = append(r.failures, err)
}

// addPersonal notes that a field depends on the caller's token beyond what it may see.
func (r *Responses) addPersonal() {
	r.mutex.Lock()
	defer r.mutex.Unlock()
	r.personal = true
}

// Personal reports whether the response is for its caller alone. It is called when the
// fields have run.
func (r *Responses) Personal() bool { return r.personal }

// Sorted returns all response keys and responses, in the order of the keys. It is called
// when the fields have run.
func (r *Responses) Sorted() (keys []string, responses []*runner.Response) {
	keys = slices.Sorted(maps.Keys(r.byKey))
	responses = make([]*runner.Response, len(keys))
	for i, key := range keys {
		responses[i] = r.byKey[key]
	}
	return keys, responses
}

// Failures are the errors of the fields whose saved queries failed. It is called when the
// fields have run.
func (r *Responses) Failures() []error { return r.failures }

package resolvers

import (
	"context"
	"maps"
	"slices"
	"sync"

	"savedq/sqlq"
)

// Replies gathers the replies to an operation's fields, which run side by side.
type Replies struct {
	// NoCache says that the caller does not want rows that were kept.
	NoCache bool

	mutex    sync.Mutex
	byKey    map[string]*sqlq.Reply
	failures []error
	personal bool
}

type repliesKey struct{}

// WithReplies returns a context in which the fields of one operation find where they
// hand in the replies to them.
func WithReplies(ctx context.Context, gathered *Replies) context.Context {
	return context.WithValue(ctx, repliesKey{}, gathered)
}

func repliesOf(ctx context.Context) *Replies {
	return ctx.Value(repliesKey{}).(*Replies) // no operation is run without
}

// add takes the reply to a field with its response key: the alias where there is one,
// the name otherwise.
func (r *Replies) add(key string, reply *sqlq.Reply) {
	r.mutex.Lock()
	defer r.mutex.Unlock()
	if r.byKey == nil {
		r.byKey = make(map[string]*sqlq.Reply)
	}
	r.byKey[key] = reply
}

// addFailure takes the failure of a field.
func (r *Replies) addFailure(err error) {
	r.mutex.Lock()
	defer r.mutex.Unlock()
	r.failures = append(r.failures, err)
}

// addPersonal notes that a field depends on the caller's token beyond what it may see.
func (r *Replies) addPersonal() {
	r.mutex.Lock()
	defer r.mutex.Unlock()
	r.personal = true
}

// Personal reports whether the response is for its caller alone. It is called when the
// fields have run.
func (r *Replies) Personal() bool { return r.personal }

// Sorted returns all response keys and replies, in the order of the keys. It is called
// when the fields have run.
func (r *Replies) Sorted() (keys []string, replies []*sqlq.Reply) {
	keys = slices.Sorted(maps.Keys(r.byKey))
	replies = make([]*sqlq.Reply, len(keys))
	for i, key := range keys {
		replies[i] = r.byKey[key]
	}
	return keys, replies
}

// Failures are the errors of the fields whose saved queries failed. It is called when the
// fields have run.
func (r *Replies) Failures() []error { return r.failures }

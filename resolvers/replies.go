package resolvers

import (
	"context"
	"maps"
	"slices"
	"sync"

	"github.com/99designs/gqlgen/graphql"

	"savedq/graph"
	"savedq/sqlq"
)

// Replies gathers the replies to an operation's fields, which run side by side.
type Replies struct {
	// NoCache says that the caller does not want rows that were kept.
	NoCache bool

	mutex    sync.Mutex
	byKey    map[string]fieldReply
	failures []error
}

// fieldReply is the reply to a field that runs a saved query.
type fieldReply struct {
	reply *sqlq.Reply
	// rows are the objects that the field gives, as JSON.
	rows []byte
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
func (r *Replies) add(key string, reply fieldReply) {
	r.mutex.Lock()
	defer r.mutex.Unlock()
	if r.byKey == nil {
		r.byKey = make(map[string]fieldReply)
	}
	r.byKey[key] = reply
}

// addFailure takes the failure of a field.
func (r *Replies) addFailure(err error) {
	r.mutex.Lock()
	defer r.mutex.Unlock()
	r.failures = append(r.failures, err)
}

func (r *Replies) get(key string) (fieldReply, bool) {
	r.mutex.Lock()
	defer r.mutex.Unlock()
	reply, ok := r.byKey[key]
	return reply, ok
}

// Sorted returns all response keys and replies, in the order of the keys. It is called
// when the fields have run.
func (r *Replies) Sorted() (keys []string, replies []*sqlq.Reply) {
	keys = slices.Sorted(maps.Keys(r.byKey))
	replies = make([]*sqlq.Reply, len(keys))
	for i, key := range keys {
		replies[i] = r.byKey[key].reply
	}
	return keys, replies
}

// Failures are the errors of the fields whose saved queries failed. It is called when the
// fields have run.
func (r *Replies) Failures() []error { return r.failures }

// WriteRows puts the rows of a field that ran a saved query in the place of what
// the generated code makes of it, which is slow: for each row a goroutine, and for
// each value a context and a call through an interface.
func WriteRows(ctx context.Context, next graphql.RootResolver) graphql.Marshaler {
	generated := next(ctx)
	reply, ok := repliesOf(ctx).get(graphql.GetRootFieldContext(ctx).Field.Alias)
	if !ok {
		return generated
	}
	return graph.JSON(reply.rows)
}

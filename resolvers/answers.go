package resolvers

import (
	"context"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/99designs/gqlgen/graphql"

	"savedq/graph"
	"savedq/internal/httpstatus"
	"savedq/sqlq"
)

// answers gathers the answers of an operation's fields, which run side by side.
type answers struct {
	// noCache says that the caller does not want answers that were kept.
	noCache bool

	mutex sync.Mutex
	byKey map[string]fieldAnswer
	// retryAfter is how long the caller does well to wait before asking again, where
	// a field was turned away.
	retryAfter time.Duration
}

// fieldAnswer is the answer of a field that ran a saved query.
type fieldAnswer struct {
	reply *sqlq.Reply
	// rows are the objects that the field gives, as JSON.
	rows []byte
}

type answersKey struct{}

// withAnswers returns a context in which the fields of one operation find the
// answers that they hand theirs in to.
func withAnswers(ctx context.Context, gathered *answers) context.Context {
	return context.WithValue(ctx, answersKey{}, gathered)
}

func answersOf(ctx context.Context) *answers {
	return ctx.Value(answersKey{}).(*answers) // the handler runs no operation without
}

// add takes the answer of a field with its response key: the alias where there is
// one, the name otherwise.
func (a *answers) add(key string, answer fieldAnswer) {
	a.mutex.Lock()
	defer a.mutex.Unlock()
	if a.byKey == nil {
		a.byKey = make(map[string]fieldAnswer)
	}
	a.byKey[key] = answer
}

// addFailure takes the failure of a field.
func (a *answers) addFailure(err error) {
	a.mutex.Lock()
	defer a.mutex.Unlock()
	a.retryAfter = max(a.retryAfter, httpstatus.RetryAfter(sqlq.AsError(err)))
}

func (a *answers) get(key string) (fieldAnswer, bool) {
	a.mutex.Lock()
	defer a.mutex.Unlock()
	answer, ok := a.byKey[key]
	return answer, ok
}

// sorted returns all response keys and replies, in the order of the keys. It is
// called when the fields have run.
func (a *answers) sorted() (keys []string, replies []*sqlq.Reply) {
	keys = slices.Sorted(maps.Keys(a.byKey))
	replies = make([]*sqlq.Reply, len(keys))
	for i, key := range keys {
		replies[i] = a.byKey[key].reply
	}
	return keys, replies
}

// writeRows puts the rows of a field that ran a saved query in the place of what
// the generated code makes of it, which is slow: for each row a goroutine, and for
// each value a context and a call through an interface.
func writeRows(ctx context.Context, next graphql.RootResolver) graphql.Marshaler {
	generated := next(ctx)
	answer, ok := answersOf(ctx).get(graphql.GetRootFieldContext(ctx).Field.Alias)
	if !ok {
		return generated
	}
	return graph.JSON(answer.rows)
}

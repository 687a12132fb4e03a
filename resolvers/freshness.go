package resolvers

import (
	"bytes"
	"context"
	"sync"

	"github.com/99designs/gqlgen/graphql"

	"savedq/graph"
	"savedq/sqlq"
)

// freshnessExtension is the key of the extension that holds the freshness of each
// field that ran a saved query, by response key.
const freshnessExtension = "freshness"

// freshness says how old the rows of a field are, and whether all are there (D24).
type freshness struct {
	AsOf      graph.Time `json:"asOf"`
	Truncated bool       `json:"truncated"`
}

func freshnessOf(answer *sqlq.Answer) freshness {
	return freshness{AsOf: graph.FormatTime(answer.AsOf), Truncated: answer.Result.Truncated}
}

type freshnessKey struct{}

// freshnessNotes gathers what fields note while they run side by side.
type freshnessNotes struct {
	mutex sync.Mutex
	byKey map[string]freshness
}

// noteFreshness notes the freshness of the field that is being resolved.
func noteFreshness(ctx context.Context, note freshness) {
	notes, ok := ctx.Value(freshnessKey{}).(*freshnessNotes)
	field := graphql.GetFieldContext(ctx)
	if !ok || field == nil {
		return
	}
	notes.mutex.Lock()
	defer notes.mutex.Unlock()
	notes.byKey[field.Field.Alias] = note
}

// addFreshness puts the notes of a response into its extensions. A response that
// has no data has nothing to be fresh.
func addFreshness(ctx context.Context, next graphql.ResponseHandler) *graphql.Response {
	notes := &freshnessNotes{byKey: make(map[string]freshness)}
	response := next(context.WithValue(ctx, freshnessKey{}, notes))
	if response == nil || len(notes.byKey) == 0 || bytes.Equal(response.Data, []byte("null")) {
		return response
	}
	if response.Extensions == nil {
		response.Extensions = make(map[string]any)
	}
	response.Extensions[freshnessExtension] = notes.byKey
	return response
}

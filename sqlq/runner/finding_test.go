package runner_test

import (
	"context"
	"testing"

	"savedq/sqlq"
	"savedq/sqlq/cache"
	"savedq/sqlq/runner"
)

// named stands for the saved query with a name, an id or an alias, in requests of [finding.Run].
func named(endpoint string) *sqlq.SavedQuery { return &sqlq.SavedQuery{Name: endpoint} }

// finding is a runner that finds the saved queries of requests in its current catalog.
type finding struct{ *runner.Runner }

func (f finding) Run(ctx context.Context, request runner.Request) (response *runner.Response, err error) {
	if request.Query, err = f.Find(ctx, request.Query.Name); err != nil {
		return nil, err
	}
	return f.Runner.Run(ctx, request)
}

// put caches an encoding of entries.
func (f finding) put(ctx context.Context, key, body string, entries ...*cache.Entry) {
	responses := make([]*runner.Response, len(entries))
	for i, entry := range entries {
		responses[i] = &runner.Response{Entry: entry}
	}
	f.PutEncoded(ctx, &cache.Encoded{Key: key, Body: []byte(body)}, responses)
}

// encode encodes the rows of a response.
func encode(response *runner.Response) []byte {
	return runner.Encode(response.Key+" rest", []*runner.Response{response}, nil, func() *cache.Encoded {
		return &cache.Encoded{Body: response.Result.AppendJSON(nil)}
	}).Body
}

// maintain refreshes entries until the test ends.
func (f finding) maintain(t *testing.T) {
	t.Helper()
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan struct{})
	go func() {
		f.Maintain(ctx)
		close(ended)
	}()
	t.Cleanup(func() {
		stop()
		<-ended
	})
}

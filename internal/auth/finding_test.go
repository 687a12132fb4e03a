package auth_test

import (
	"context"
	"log/slog"

	"savedq/internal/auth"
	"savedq/sqlq"
	"savedq/sqlq/cache"
	"savedq/sqlq/catalog"
	"savedq/sqlq/runner"
)

// named stands for the saved query with a name, an id or an alias, in requests of [finding.Run].
func named(endpoint string) *sqlq.SavedQuery { return &sqlq.SavedQuery{Name: endpoint} }

// finding is a runner that finds the saved queries of requests first, as REST does.
type finding struct{ *auth.Runner }

func (f finding) Run(ctx context.Context, request runner.Request) (response *runner.Response, err error) {
	if request.Query, err = f.Find(ctx, request.Query.Name); err != nil {
		return nil, err
	}
	return f.Runner.Run(ctx, request)
}

// cachingRunner is what [auth.NewRunner] needs; [*runner.Runner] is one.
type cachingRunner interface {
	runner.QueryRunner
	PutEncoded(ctx context.Context, encoded *cache.Encoded, responses []*runner.Response)
	Encoded(ctx context.Context, key string, noCache bool) (*cache.Encoded, []*runner.Response)
}

// newScoped returns a runner of the saved queries of a catalog over another one.
func newScoped(next cachingRunner, catalog *catalog.Catalog, logger *slog.Logger) finding {
	return finding{auth.NewRunner(next, next, catalog, logger)}
}

package runner

import (
	"context"

	"savedq/sqlq/cache"
	"savedq/sqlq/catalog"
)

// QueryRunner is a [Runner], or wraps one: tokens' scopes, the request log and traces do.
type QueryRunner interface {
	Run(ctx context.Context, request Request) (*Response, error)
	Catalog() *catalog.Catalog
	PutResponse(ctx context.Context, key string, value any, bytes int, entries []*cache.Entry)
	CachedResponse(ctx context.Context, key string, noCache bool) (value any, responses []*Response)
}

var _ QueryRunner = (*Runner)(nil)

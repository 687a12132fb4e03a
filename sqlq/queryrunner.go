package sqlq

import "context"

// QueryRunner is a [Runner], or stands in front of one: scopes, the log and traces
// wrap what is asked of it.
type QueryRunner interface {
	Run(ctx context.Context, request Request) (*Reply, error)
	Catalog() *Catalog
	Keep(ctx context.Context, key string, value any, bytes int, from []*Answer)
	Kept(ctx context.Context, key string, noCache bool) (value any, replies []*Reply)
}

var _ QueryRunner = (*Runner)(nil)

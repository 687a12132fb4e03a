package runner

import "context"

// QueryRunner is a [Runner], or wraps one: traces and the scopes of tokens do.
type QueryRunner interface {
	Run(ctx context.Context, request Request) (*Response, error)
}

var _ QueryRunner = (*Runner)(nil)

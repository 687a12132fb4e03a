// Package causes shows callers the causes of errors, such as the message of an engine, while
// a developer works on saved queries. Otherwise only the log has them (D15).
package causes

import (
	"context"

	"savedq/sqlq"
)

type shownKey struct{}

// Show returns a context whose requests receive the causes of errors.
func Show(ctx context.Context) context.Context { return context.WithValue(ctx, shownKey{}, true) }

// Of returns the cause of an error for the caller of a request; empty if there is none, or
// the caller must not see it.
func Of(ctx context.Context, failure *sqlq.Error) string {
	cause := failure.Unwrap()
	if cause == nil || ctx.Value(shownKey{}) == nil {
		return ""
	}
	return cause.Error()
}

package cli

import (
	"context"

	"savedq/internal/auth"
	"savedq/resolvers"
)

// viewerOf returns what the token of a request allows. Without a token it allows nothing.
func viewerOf(ctx context.Context) resolvers.Viewer {
	token, found := auth.FromContext(ctx)
	if !found {
		return resolvers.Viewer{Projects: []string{}}
	}
	return resolvers.Viewer{Projects: token.Projects, ProjectTier: token.MaxTier, Refresh: token.Refresh, Tail: mayTail(token)}
}

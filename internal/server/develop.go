package server

import (
	"context"

	"savedq/internal/auth"
)

// develops reports whether the caller of a request develops saved queries on a server of their own.
func (s *Server) develops(ctx context.Context) bool { return s.config.Dev && auth.HasFullAccess(ctx) }

// writesFolders reports whether what the caller of a request declares is written to the first directory of saved queries.
func (s *Server) writesFolders(ctx context.Context) bool {
	return s.develops(ctx) && len(s.config.Queries.Directories) > 0
}

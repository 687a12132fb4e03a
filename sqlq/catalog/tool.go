package catalog

import (
	"strings"

	"savedq/sqlq"
)

// mostToolNameBytes is the longest name of a tool that all clients of MCP accept.
const mostToolNameBytes = 64

// toolName returns the name of the tool of a saved query: its name with underscores in place of
// dots, which clients do not accept, or its id if that is too long.
func toolName(query *sqlq.SavedQuery) string {
	if len(query.Name) > mostToolNameBytes {
		return query.ID.String()
	}
	return strings.ReplaceAll(query.Name, ".", "_")
}

// claimTool reports a tool whose name another one has.
func (b *builder) claimTool(query *sqlq.SavedQuery, places *queryPlaces) {
	if query.Tool == "" {
		return
	}
	if other, taken := b.tools[query.Tool]; taken {
		b.mistakes = append(b.mistakes, places.name.Mistakef("its tool would be named %s, like the tool of %s:%d:%d; rename one of them, or write \"tool: disabled\"",
			query.Tool, other.File, other.Line, other.Column))
		return
	}
	b.tools[query.Tool] = places.name
}

package catalog

import (
	"strings"

	"savedq/sqlq"
)

// mostToolNameBytes is the longest name of a tool that all clients of MCP accept.
const mostToolNameBytes = 64

// toolName returns the name of the tool of a saved query: its name with underscores in place of
// dots, which clients do not accept, or its id if that is too long or taken by a tool of savedq itself. Some clients
// accept no digit at the start, so an underscore precedes one.
func toolName(query *sqlq.SavedQuery) string {
	name := strings.ReplaceAll(query.Name, ".", "_")
	if name == sqlq.DescribeTool || name == sqlq.ExploreTool {
		name = query.ID.String()
	}
	name = afterDigit(name)
	if len(name) > mostToolNameBytes {
		return afterDigit(query.ID.String())
	}
	return name
}

// afterDigit returns a name with an underscore before a digit at its start.
func afterDigit(name string) string {
	if name != "" && name[0] >= '0' && name[0] <= '9' {
		return "_" + name
	}
	return name
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

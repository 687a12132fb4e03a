package auth

import (
	"strconv"
	"strings"
	"time"

	"savedq/internal/usage"
	"savedq/sqlq"
)

// EntryYAML returns the entry of a token for a tokens file, indented to follow the key
// "tokens". [ReadTokens] reads the same token from it.
func EntryYAML(token Token, hash Hash) string {
	var entry strings.Builder
	prefix := "  - "
	line := func(key, value string) {
		entry.WriteString(prefix + key + ": " + value + "\n")
		prefix = "    "
	}
	line("name", quoted(token.Name))
	line("sha256", quoted(hash.String()))
	for _, optional := range []struct {
		set        bool
		key, value string
	}{
		{!token.Expires.IsZero(), "expires", token.Expires.UTC().Format(time.RFC3339Nano)},
		{token.Endpoints != nil, "endpoints", quotedList(token.Endpoints)},
		{token.Projects != nil, "projects", quotedList(token.Projects)},
		{token.MaxTier != "", "project_tier", quoted(token.MaxTier)},
		{token.Rate > 0, "rate", strconv.FormatFloat(token.Rate, 'f', -1, 64)},
		{token.Burst > 0, "burst", strconv.Itoa(token.Burst)},
		{token.Budget != usage.Budget{}, "budget", token.Budget.YAML()},
		{token.Ingest, "ingest", "true"},
		{token.Sources != nil, "sources", quotedList(token.Sources)},
		{token.Refresh, "refresh", "true"},
		{token.Sandbox, "sandbox", "true"},
		{token.Explore, "explore", "true"},
		{token.Metrics, "metrics", "true"},
	} {
		if optional.set {
			line(optional.key, optional.value)
		}
	}
	return entry.String()
}

// quoted returns a string in JSON's quotes, so that YAML always reads it as a string.
func quoted(value string) string { return string(sqlq.AppendValue(nil, sqlq.String, value)) }

func quotedList(values []string) string {
	items := make([]string, len(values))
	for i, value := range values {
		items[i] = quoted(value)
	}
	return "[" + strings.Join(items, ", ") + "]"
}

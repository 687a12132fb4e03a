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
	if !token.Expires.IsZero() {
		line("expires", token.Expires.UTC().Format(time.RFC3339Nano))
	}
	if token.Endpoints != nil {
		line("endpoints", quotedList(token.Endpoints))
	}
	if token.Projects != nil {
		line("projects", quotedList(token.Projects))
	}
	if token.MaxTier != "" {
		line("project_tier", quoted(token.MaxTier))
	}
	if token.Rate > 0 {
		line("rate", strconv.FormatFloat(token.Rate, 'f', -1, 64))
	}
	if token.Burst > 0 {
		line("burst", strconv.Itoa(token.Burst))
	}
	if token.Budget != (usage.Budget{}) {
		line("budget", token.Budget.YAML())
	}
	if token.Ingest {
		line("ingest", "true")
	}
	if token.Sources != nil {
		line("sources", quotedList(token.Sources))
	}
	if token.Refresh {
		line("refresh", "true")
	}
	if token.Sandbox {
		line("sandbox", "true")
	}
	if token.Explore {
		line("explore", "true")
	}
	if token.Metrics {
		line("metrics", "true")
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

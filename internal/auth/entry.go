package auth

import (
	"strconv"
	"strings"
	"time"

	"savedq/sqlq"
)

// EntryYAML returns the entry of a tokens file for a token, indented to stand under
// the key "tokens". [ReadTokens] reads the same token from it.
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
	if token.Ingest {
		line("ingest", "true")
	}
	if token.Refresh {
		line("refresh", "true")
	}
	if token.Metrics {
		line("metrics", "true")
	}
	return entry.String()
}

// quoted writes a text as JSON does, which YAML reads as a text whatever it looks
// like.
func quoted(text string) string { return string(sqlq.AppendValue(nil, sqlq.String, text)) }

func quotedList(texts []string) string {
	items := make([]string, len(texts))
	for i, text := range texts {
		items[i] = quoted(text)
	}
	return "[" + strings.Join(items, ", ") + "]"
}

// Package queries embeds the saved queries that come with savedq: one folder each, with a
// query.yaml and a SQL file for each engine.
package queries

import "embed"

// FS holds the folders.
//
//go:embed */query.yaml */*.sql
var FS embed.FS

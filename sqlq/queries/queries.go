// Package queries embeds the saved queries that come with savedq: one folder each, with a
// query.yaml, a SQL file for each engine, and test cases.
package queries

import "embed"

// FS holds the folders.
//
//go:embed */query.yaml */*.sql */tests/*.yaml
var FS embed.FS

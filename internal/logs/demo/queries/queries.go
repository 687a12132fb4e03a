// Package queries embeds a saved query with alerts on demo logs.
package queries

import "embed"

// FS holds the folders.
//
//go:embed */query.yaml */query.sql
var FS embed.FS

//go:build tools

// Package tools pins the releases of the code generators in go.mod.
package tools

import (
	_ "github.com/99designs/gqlgen"
)

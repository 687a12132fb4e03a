// Command savedq serves analytics SQL, kept as named, saved queries, as GraphQL
// fields and on REST paths.
package main

import (
	"context"
	"os"

	"savedq/internal/cli"
)

func main() {
	os.Exit(cli.Run(context.Background(), os.Args[1:], os.Stdout, os.Stderr))
}

// Command savedq serves analytics SQL, saved as named queries, as GraphQL
// fields and on REST paths.
package main

import (
	"context"
	"os"
	_ "time/tzdata" // for machines and images without a database of time zones

	"savedq/internal/cli"
)

func main() {
	os.Exit(cli.Run(context.Background(), os.Args[1:], os.Stdout, os.Stderr))
}

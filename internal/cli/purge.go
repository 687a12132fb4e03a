package cli

import (
	"context"
	"errors"
	"fmt"
)

// purgeCommand is "savedq purge".
type purgeCommand struct {
	Query   string `variable:"-" placeholder:"NAME" help:"Purge only the rows of this saved query, by name or id."`
	Project string `variable:"-" placeholder:"PROJECT" help:"Purge only rows that can belong to this project."`
	serverFlags
}

func (c *purgeCommand) Validate() error { return c.required() }

// Run purges the cached rows and prints how many entries there were.
func (c *purgeCommand) Run(ctx context.Context, term *terminal) (err error) {
	client, end := c.client(term)
	defer func() { err = errors.Join(err, end()) }()
	purged, err := client.Purge(ctx, c.Query, c.Project)
	if err != nil {
		return err
	}
	plural := "entries"
	if purged == 1 {
		plural = "entry"
	}
	_, err = fmt.Fprintf(term.stdout, "%d cache %s purged\n", purged, plural)
	return err
}

package cli

import (
	"context"
	"errors"
	"fmt"
	"strings"
)

// storeDropFieldCommand is "savedq store drop-field".
type storeDropFieldCommand struct {
	Field string `arg:"" placeholder:"TABLE.FIELD" help:"The field, such as orders.amount. Remove it from the table.yaml, too, or it is filled again."`
	storeFlags
	memoryFlags
}

// Validate implements kong's validation, which runs before anything is opened.
func (c *storeDropFieldCommand) Validate() error {
	if strings.Count(c.Field, ".") != 1 {
		return fmt.Errorf("%q is not a field, such as orders.amount", c.Field)
	}
	return nil
}

// Run removes the field from a store that no server has open.
func (c *storeDropFieldCommand) Run(ctx context.Context, term *terminal) (err error) {
	maintained := &maintenanceFlags{storeFlags: c.storeFlags, memoryFlags: c.memoryFlags}
	store, err := maintained.openExisting(ctx, c.Data, term)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, store.Close()) }()
	table, field, _ := strings.Cut(c.Field, ".")
	if err := store.DropField(ctx, table, field); err != nil {
		return err
	}
	_, err = fmt.Fprintf(term.stdout, "%s is removed\n", c.Field)
	return err
}

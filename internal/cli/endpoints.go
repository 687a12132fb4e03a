package cli

import (
	"context"
	"fmt"
	"strings"
	"text/tabwriter"
	"time"

	"savedq/sqlq"
)

// endpointsCommand is "savedq endpoints".
type endpointsCommand struct {
	Engine string `enum:"${engines}" default:"${engine}" placeholder:"ENGINE" help:"Engine whose SQL is read: ${enum}. Default: ${default}."`
	catalogFlags
}

// Run lists the saved queries.
func (c *endpointsCommand) Run(ctx context.Context, term *terminal) error {
	catalog, err := c.read(ctx, (&engineFlags{Engine: c.Engine}).setup())
	if err != nil {
		return err
	}
	const columnGap = 2
	out := tabwriter.NewWriter(term.stdout, 0, 0, columnGap, ' ', 0)
	_, _ = fmt.Fprintln(out, "NAME\tID\tPARAMETERS\tMAX ROWS\tCACHE\tWARM\tALIASES")
	for _, query := range catalog.Queries() {
		_, _ = fmt.Fprintf(out, "%s\t%s\t%s\t%d\t%s\t%s\t%s\n", query.Name, query.ID, signature(query),
			query.MaxRows, seconds(query.Cache), seconds(query.Warm), aliases(query))
	}
	return out.Flush()
}

// aliases returns the further names and ids of a saved query.
func aliases(query *sqlq.SavedQuery) string {
	if len(query.Aliases) == 0 {
		return "-"
	}
	return strings.Join(query.Aliases, " ")
}

// signature returns the names of the parameters, optional ones in brackets.
func signature(query *sqlq.SavedQuery) string {
	params := make([]string, len(query.Params))
	for i, param := range query.Params {
		text := param.Name
		if len(param.Allowed) > 0 {
			text += "=" + strings.Join(param.Allowed, "|")
		}
		if !param.Required {
			text = "[" + text + "]"
		}
		params[i] = text
	}
	return strings.Join(params, " ")
}

// seconds formats a caching time as query.yaml does.
func seconds(d time.Duration) string {
	if d == 0 {
		return "disabled"
	}
	return fmt.Sprintf("%ds", int(d.Seconds()))
}

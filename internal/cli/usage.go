package cli

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strings"

	"savedq/internal/api/usagehttp"
	"savedq/internal/operations/usage"
	"savedq/sqlq"
)

// usageCommand is "savedq usage".
type usageCommand struct {
	From     string   `variable:"-" placeholder:"DAY" help:"First day in UTC, such as 2026-11-01 or now-7d. Default: 29 days before --to."`
	To       string   `variable:"-" placeholder:"DAY" help:"Last day in UTC. Default: today."`
	By       []string `variable:"-" placeholder:"NAME" help:"Columns to group by: day, token, subject and endpoint; the others are summed. Default: all."`
	Token    string   `variable:"-" placeholder:"NAME" help:"Only the usage of this token. Default: of all."`
	Subject  string   `variable:"-" placeholder:"SUBJECT" help:"Only the usage of this subject of signed tokens. Default: of all."`
	Endpoint string   `variable:"-" placeholder:"NAME" help:"Only the usage of this saved query. Default: of all."`
	Format   string   `enum:"${formats}" default:"${format}" placeholder:"FORMAT" help:"Output format: ${enum}. Default: ${default}."`
	serverFlags
}

// Validate implements kong's validation.
func (c *usageCommand) Validate() error {
	_, err := c.dimensions()
	return errors.Join(err, checkDay("--from", c.From), checkDay("--to", c.To), c.required())
}

// checkDay returns an error unless the value of a flag is a day, or not set.
func checkDay(flag, text string) error {
	if text == "" {
		return nil
	}
	if _, err := sqlq.ParseDateAt(text, parsingTime()); err != nil {
		return fmt.Errorf("%s: %w", flag, err)
	}
	return nil
}

// dimensions returns the columns to group by, in their order.
func (c *usageCommand) dimensions() ([]usage.Dimension, error) {
	all := usage.Dimensions()
	for _, name := range c.By {
		if !slices.Contains(all, usage.Dimension(name)) {
			return nil, fmt.Errorf("--by: %s is not one of %s", sqlq.Quote(name), sqlq.Join(all))
		}
	}
	if len(c.By) == 0 {
		return all, nil
	}
	return slices.DeleteFunc(all, func(dimension usage.Dimension) bool { return !slices.Contains(c.By, string(dimension)) }), nil
}

// Run prints what the tokens of a server used.
func (c *usageCommand) Run(ctx context.Context, term *terminal) (err error) {
	by, err := c.dimensions()
	if err != nil {
		return err
	}
	values := url.Values{usagehttp.By: {strings.ReplaceAll(sqlq.Join(by), " ", "")}}
	for name, value := range map[string]string{
		usagehttp.From: c.From, usagehttp.To: c.To, usagehttp.Token: c.Token, usagehttp.Subject: c.Subject, usagehttp.Endpoint: c.Endpoint,
	} {
		if value != "" {
			values.Set(name, value)
		}
	}
	client, end := c.client(term)
	defer func() { err = errors.Join(err, end()) }()
	result, err := client.Usage(ctx, by, values)
	if err != nil {
		return err
	}
	if result.Truncated {
		_, _ = fmt.Fprintln(term.stderr, "Older days are left out; choose days with --from and --to, or fewer columns with --by.")
	}
	return printResult(term.stdout, c.Format, "usage", result)
}

package cli

import (
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"savedq/internal/auth"
	"savedq/internal/operations/usage"
	"savedq/sqlq"
)

// tokenCommand is "savedq token".
type tokenCommand struct {
	New    tokenNewCommand    `cmd:"" help:"Create a token and its entry for the tokens file."`
	List   tokenListCommand   `cmd:"" help:"List the tokens of a tokens file: what each may do, and whether it has expired."`
	Revoke tokenRevokeCommand `cmd:"" help:"Remove a token from a tokens file."`
	Sign   tokenSignCommand   `cmd:"" help:"Sign a JSON Web Token for trials."`
	Verify tokenVerifyCommand `cmd:"" help:"Show what the JSON Web Token on standard input allows, or why it would be refused."`
}

// tokenNewCommand is "savedq token new".
type tokenNewCommand struct {
	Name        string            `required:"" placeholder:"NAME" help:"Name of the token in logs."`
	Expires     *string           `placeholder:"TIME" help:"When the token expires: a date, or a time such as 2027-01-01T00:00:00Z. Default: never."`
	Endpoints   []string          `placeholder:"NAME" help:"Names, ids or aliases of the saved queries that the token may run. Default: all."`
	Projects    []string          `placeholder:"PROJECT" help:"Projects that the token may query. Default: all."`
	ProjectTier *string           `placeholder:"TIER" help:"Highest project tier that the token may use, such as FREE, PRO, PAYG or ENTERPRISE. Default: any."`
	Rate        *float64          `placeholder:"N" help:"How many requests a second the token may send. Default: any number."`
	Burst       *int              `placeholder:"N" help:"How many requests the token may send at once. Default: its rate."`
	BudgetHour  map[string]string `placeholder:"AMOUNT=N;…" help:"Work of the engine that the token may cause in each hour: requests, rows, bytes and engine_seconds. Cached responses are free. Default: any."`
	BudgetDay   map[string]string `placeholder:"AMOUNT=N;…" help:"The same for each day, in UTC, such as \"requests=10000;bytes=100GiB\". Default: any."`
	Ingest      bool              `help:"Let the token send log events."`
	Sources     []string          `placeholder:"SOURCE" help:"Log sources whose events the token may send, under either of their names; needs --ingest. Default: all."`
	Sandbox     bool              `help:"Let the token send SQL of its own to saved queries with a sandbox."`
	Explore     bool              `help:"Let the token run any SELECT over the tables; --projects limits the rows."`
	Alerts      bool              `help:"Let the token silence and acknowledge the alerts that it sees."`
	Refresh     bool              `help:"Let the token bypass cached responses (Cache-Control: no-cache)."`
	Metrics     bool              `help:"Let the token read all of /metrics, whatever else it is limited to. Without it, a limited token reads only the metrics of the saved queries that it may run."`
	To          string            `placeholder:"FILE" help:"Tokens file that gets the entry; it is created if it does not exist. Default: the entry is printed."`
	Data        string            `default:"./data" placeholder:"DIR" needs:"to" help:"Data directory of the server that reads the file: if one runs on this machine, it gets SIGHUP, so that it reads the file at once. Default: ${default}."`
	catalogFlags
}

// Run prints a new token, which cannot be printed again, and its entry or where that is.
func (c *tokenNewCommand) Run(term *terminal) error {
	token, err := c.token(term.clock())
	if err != nil {
		return err
	}
	if err := c.warnOfUnknown(term.stderr); err != nil {
		return err
	}
	secret, err := auth.New(rand.Reader)
	if err != nil {
		return err
	}
	if c.To != "" {
		return c.add(token, secret, term)
	}
	_, err = fmt.Fprintf(term.stdout, "Token (shown only once):\n\n%s\n\nEntry for the tokens file, which holds only its hash:\n\ntokens:\n%s",
		secret, auth.EntryYAML(token, auth.HashOf(secret)))
	return err
}

// add adds the entry to a tokens file and prints the token alone, so that the output can go into a file.
func (c *tokenNewCommand) add(token auth.Token, secret string, term *terminal) error {
	if err := auth.AddToFile(c.To, token, auth.HashOf(secret)); err != nil {
		return fmt.Errorf("--to: %w", err)
	}
	if _, err := fmt.Fprintln(term.stdout, secret); err != nil {
		return err
	}
	_, _ = fmt.Fprintf(term.stderr, "This token is shown only once. %s has its entry, with its hash.\n", c.To)
	reloadTokens(c.Data, term.stderr)
	return nil
}

// token returns the token that the flags describe. An empty limit is a mistake: otherwise
// a script with an unset variable would create an unlimited token.
func (c *tokenNewCommand) token(now time.Time) (auth.Token, error) {
	token := auth.Token{Name: c.Name, Endpoints: c.Endpoints, Projects: c.Projects, Ingest: c.Ingest, Refresh: c.Refresh, Sandbox: c.Sandbox, Explore: c.Explore, Alerts: c.Alerts, Metrics: c.Metrics}
	var mistakes []error
	note := func(flag string, err error) {
		if err != nil {
			mistakes = append(mistakes, fmt.Errorf("%s: %w", flag, err))
		}
	}
	note("--name", auth.CheckName(c.Name))
	note("--endpoints", checkNames(c.Endpoints))
	note("--projects", checkNames(c.Projects))
	var err error
	if c.Expires != nil {
		token.Expires, err = auth.ParseExpiry(*c.Expires)
		if err == nil && !token.Expires.After(now) {
			err = fmt.Errorf("%s is in the past, so the token would never be valid", *c.Expires)
		}
		note("--expires", err)
	}
	if c.ProjectTier != nil {
		token.MaxTier = *c.ProjectTier
		note("--project-tier", c.checkTier())
	}
	if c.Rate != nil {
		token.Rate = *c.Rate
		note("--rate", auth.CheckRate(token.Rate))
	}
	if c.Burst != nil {
		token.Burst = *c.Burst
		note("--burst", auth.CheckBurst(token.Burst))
		if c.Rate == nil {
			note("--burst", errors.New("needs --rate"))
		}
	}
	if c.BudgetHour != nil {
		token.Budget.Hour, err = parseBudget(c.BudgetHour)
		note("--budget-hour", err)
	}
	if c.BudgetDay != nil {
		token.Budget.Day, err = parseBudget(c.BudgetDay)
		note("--budget-day", err)
	}
	if c.Sources != nil {
		var known auth.Known
		if known.Sources, err = c.readSources(); err == nil {
			err = checkNames(c.Sources)
		}
		if err == nil {
			token.Sources, err = known.SourceTables(c.Sources)
		}
		note("--sources", err)
		if !c.Ingest {
			note("--sources", errors.New("needs --ingest"))
		}
	}
	return token, errors.Join(mistakes...)
}

// parseBudget returns the amounts of a flag. Users who know lists of other flags separate them
// with a comma, which then is a part of the first amount.
func parseBudget(values map[string]string) (usage.Amounts, error) {
	amounts, err := usage.ParseAmounts(values)
	for _, value := range values {
		if err != nil && strings.Contains(value, ",") {
			return amounts, fmt.Errorf(`%w; separate amounts with ";"`, err)
		}
	}
	return amounts, err
}

// checkTier returns an error unless a saved query allows the tier. It ignores saved queries
// with mistakes.
func (c *tokenNewCommand) checkTier() error {
	queries, err := c.ofAllEngines()
	if err != nil {
		return err
	}
	return auth.CheckTier(*c.ProjectTier, auth.Tiers(queries))
}

// warnOfUnknown writes a warning for each endpoint that no saved query has. It is no mistake,
// because the saved queries may be on another machine.
func (c *tokenNewCommand) warnOfUnknown(stderr io.Writer) error {
	if c.Endpoints == nil {
		return nil
	}
	queries, err := c.ofAllEngines()
	if err != nil {
		return err
	}
	known := auth.KnownOf(queries)
	for _, name := range known.UnknownEndpoints(c.Endpoints) {
		advice := "name its directory with --queries"
		if closest := sqlq.ClosestName(name, known.Endpoints); closest != "" {
			advice = fmt.Sprintf("did you mean %q? Otherwise %s", closest, advice)
		}
		_, _ = fmt.Fprintf(stderr, "warning: there is no saved query %q; %s\n", name, advice)
	}
	return nil
}

// checkNames returns an error if a limit is empty or holds an empty name. Nil means no limit.
func checkNames(names []string) error {
	if names != nil && (len(names) == 0 || slices.Contains(names, "")) {
		return errors.New("must not be empty or have an empty name; leave it out for all")
	}
	return nil
}

package cli

import (
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"savedq/internal/auth"
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
	Expires     *string           `placeholder:"TIME" help:"When the token expires: a date, a time such as 2027-01-01T00:00:00Z, or one such as now+90d. Default: never."`
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
	Manage      bool              `name:"manage-tokens" help:"Let the token list, create and revoke tokens of a running server; not with limits."`
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

// token returns the token that the flags describe.
func (c *tokenNewCommand) token(now time.Time) (auth.Token, error) {
	draft := auth.Draft{
		Name: c.Name, Expires: c.Expires, Endpoints: c.Endpoints, Projects: c.Projects, ProjectTier: c.ProjectTier, Rate: c.Rate, Burst: c.Burst,
		BudgetHour: c.BudgetHour, BudgetDay: c.BudgetDay, Sources: c.Sources,
	}
	for _, scope := range []struct {
		name string
		has  bool
	}{{"ingest", c.Ingest}, {"refresh", c.Refresh}, {"sandbox", c.Sandbox}, {"explore", c.Explore}, {"alerts", c.Alerts}, {"metrics", c.Metrics}, {"manage_tokens", c.Manage}} {
		if scope.has {
			draft.Scopes = append(draft.Scopes, scope.name)
		}
	}
	token, found := draft.Token(now, auth.DraftNames{Tiers: c.tiers, Sources: c.readSources})
	mistakes := make([]error, len(found))
	for i, mistake := range found {
		mistakes[i] = c.flagError(mistake)
	}
	return token, errors.Join(mistakes...)
}

// flagError returns a mistake of a draft as that of its flag. Users who know lists of other flags separate amounts of
// a budget with a comma, which then is a part of the first amount.
func (c *tokenNewCommand) flagError(mistake *auth.DraftError) error {
	flag := map[string]string{
		auth.FieldProjectTier: "--project-tier", auth.FieldBudgetHour: "--budget-hour", auth.FieldBudgetDay: "--budget-day",
		auth.FieldScopes: "--manage-tokens", // the other scopes need nothing
	}[mistake.Field]
	if flag == "" {
		flag = "--" + mistake.Field
	}
	if mistake.Needs != "" {
		return fmt.Errorf("%s: needs --%s", flag, mistake.Needs)
	}
	for _, value := range map[string]map[string]string{auth.FieldBudgetHour: c.BudgetHour, auth.FieldBudgetDay: c.BudgetDay}[mistake.Field] {
		if strings.Contains(value, ",") {
			return fmt.Errorf(`%s: %w; separate amounts with ";"`, flag, mistake.Err)
		}
	}
	return fmt.Errorf("%s: %w", flag, mistake.Err)
}

// tiers returns the tiers that saved queries allow. It ignores saved queries with mistakes.
func (c *tokenNewCommand) tiers() ([]string, error) {
	queries, err := c.ofAllEngines()
	return auth.Tiers(queries), err
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

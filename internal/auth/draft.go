package auth

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"savedq/internal/operations/usage"
	"savedq/sqlq"
)

// Draft describes a token that somebody wants to create. A limit that is nil is none, and one that is empty is a
// mistake: otherwise a script with an unset variable would create an unlimited token.
type Draft struct {
	Name                string
	Expires             *string
	Endpoints, Projects []string
	ProjectTier         *string
	Rate                *float64
	Burst               *int
	// BudgetHour and BudgetDay have the keys and values of a budget in a tokens file.
	BudgetHour, BudgetDay map[string]string
	// Scopes are names of [Scopes].
	Scopes, Sources []string
}

// Names of the fields of a draft, for [DraftError].
const (
	FieldName        = "name"
	FieldExpires     = "expires"
	FieldEndpoints   = "endpoints"
	FieldProjects    = "projects"
	FieldProjectTier = "projectTier"
	FieldRate        = "rate"
	FieldBurst       = "burst"
	FieldBudgetHour  = "budgetHour"
	FieldBudgetDay   = "budgetDay"
	FieldScopes      = "scopes"
	FieldSources     = "sources"
)

// DraftError is a mistake in a field of a draft.
type DraftError struct {
	Field string
	// Needs is what the field needs and the draft lacks, another field or a scope; empty for another mistake.
	Needs string
	Err   error
}

func (e *DraftError) Error() string {
	if e.Needs != "" {
		return e.Field + ": needs " + e.Needs
	}
	return e.Field + ": " + e.Err.Error()
}

func (e *DraftError) Unwrap() error { return e.Err }

// DraftNames has what a draft can name. Each function is called only if it is needed.
type DraftNames struct {
	Tiers   func() ([]string, error)
	Sources func() (sqlq.Tables, error)
}

// Token returns the token of a draft, or all of its mistakes.
func (d *Draft) Token(now time.Time, names DraftNames) (Token, []*DraftError) {
	r := &draftReader{names: names}
	token := Token{Name: d.Name, Created: now.UTC().Truncate(time.Second), Endpoints: d.Endpoints, Projects: d.Projects}
	r.note(FieldName, CheckName(d.Name))
	r.note(FieldEndpoints, checkListed(d.Endpoints))
	r.note(FieldProjects, checkListed(d.Projects))
	r.note(FieldScopes, token.setScopes(d.Scopes))
	if d.Expires != nil {
		token.Expires = r.expires(*d.Expires, now)
	}
	if d.ProjectTier != nil {
		token.MaxTier = r.tier(*d.ProjectTier)
	}
	if d.Rate != nil {
		token.Rate = *d.Rate
		r.note(FieldRate, CheckRate(token.Rate))
	}
	if d.Burst != nil {
		token.Burst = *d.Burst
		r.note(FieldBurst, CheckBurst(token.Burst))
		if d.Rate == nil {
			r.needs(FieldBurst, FieldRate)
		}
	}
	token.Budget.Hour = r.budget(FieldBudgetHour, d.BudgetHour)
	token.Budget.Day = r.budget(FieldBudgetDay, d.BudgetDay)
	if d.Sources != nil {
		token.Sources = r.sources(d.Sources)
		if !token.Ingest {
			r.needs(FieldSources, "ingest")
		}
	}
	r.note(FieldScopes, token.checkManaging())
	return token, r.mistakes
}

// draftReader collects the mistakes of a draft.
type draftReader struct {
	names    DraftNames
	mistakes []*DraftError
}

// note records a mistake, unless it is nil.
func (r *draftReader) note(field string, err error) {
	if err != nil {
		r.mistakes = append(r.mistakes, &DraftError{Field: field, Err: err})
	}
}

// needs records that a field needs another one, or a scope.
func (r *draftReader) needs(field, other string) {
	r.mistakes = append(r.mistakes, &DraftError{Field: field, Needs: other})
}

func (r *draftReader) expires(text string, now time.Time) time.Time {
	expires, err := expiryAt(text, now)
	if err == nil && !expires.After(now) {
		err = fmt.Errorf("%s is in the past, so the token would never be valid", text)
	}
	r.note(FieldExpires, err)
	return expires
}

func (r *draftReader) tier(tier string) string {
	tiers, err := r.names.Tiers()
	if err == nil {
		err = CheckTier(tier, tiers)
	}
	r.note(FieldProjectTier, err)
	return tier
}

func (r *draftReader) budget(field string, values map[string]string) usage.Amounts {
	if values == nil {
		return usage.Amounts{}
	}
	amounts, err := usage.ParseAmounts(values)
	r.note(field, err)
	return amounts
}

// sources returns the tables of log sources.
func (r *draftReader) sources(sources []string) []string {
	err := checkListed(sources)
	var known Known
	if err == nil {
		known.Sources, err = r.names.Sources()
	}
	var tables []string
	if err == nil {
		tables, err = known.SourceTables(sources)
	}
	r.note(FieldSources, err)
	return tables
}

// checkListed returns an error if a limit is empty or holds an empty or an unprintable name, or one twice. Nil means
// no limit.
func checkListed(names []string) error {
	if names != nil && (len(names) == 0 || slices.Contains(names, "")) {
		return errors.New("must not be empty or have an empty name; leave it out for all")
	}
	seen := make(map[string]bool, len(names))
	for _, name := range names {
		switch {
		case strings.ContainsFunc(name, isUnprintable):
			return errUnprintable
		case seen[name]:
			return fmt.Errorf("%q is listed twice", name)
		}
		seen[name] = true
	}
	return nil
}

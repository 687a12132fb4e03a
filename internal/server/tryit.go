package server

import (
	"net/url"
	"slices"
	"strings"
	"time"

	"savedq/internal/auth"
	"savedq/sqlq"
)

const (
	// shownFirst is the saved query of the example if the tokens may run it, because the demo
	// logs have rows for it.
	shownFirst = "usage.api-counts"
	// demoProject is a project of the demo logs.
	demoProject = "default"
	// mostTried is how many tokens the example takes into account.
	mostTried = 100
)

// shown returns what the tokens allow that the header of [access] can stand for.
func (a *access) shown(now time.Time) []auth.Token {
	switch {
	case a.keyring == nil:
		return []auth.Token{auth.FullAccess("no-auth")}
	case a.headerToken != nil:
		return []auth.Token{*a.headerToken}
	}
	tokens := a.keyring.Tokens(now)
	if len(tokens) == 0 && a.signed != nil {
		tokens = a.signed.Typical()
	}
	return tokens[:min(len(tokens), mostTried)]
}

// exampleRequest returns a request that one of the tokens may send, as the name of a saved query with a query
// string, and the name of that token. Both are empty if there is none.
func exampleRequest(queries []*sqlq.SavedQuery, tokens []auth.Token) (request, token string) {
	queries = slices.Clone(queries)
	slices.SortStableFunc(queries, func(a, b *sqlq.SavedQuery) int {
		switch shownFirst {
		case a.Name:
			return -1
		case b.Name:
			return 1
		}
		return strings.Compare(a.Name, b.Name)
	})
	for i := range tokens {
		allowed := tokens[i].Allows(queries)
		for _, query := range queries {
			if !slices.Contains(allowed, query.Name) {
				continue
			}
			if request, ok := requestOf(query, &tokens[i]); ok {
				return request, tokens[i].Name
			}
		}
	}
	return "", ""
}

// requestOf returns a request of a token for a saved query with its required parameters, and whether it
// knows values for all of them. It leaves out those that the token fills in.
func requestOf(query *sqlq.SavedQuery, token *auth.Token) (request string, ok bool) {
	values := make(map[string][]string)
	var sent []string
	for i := range query.Params {
		param := &query.Params[i]
		if !param.Required {
			continue
		}
		value := demoValue(param)
		allowed, limited := token.Limits(param)
		if len(allowed) > 0 {
			value = allowed[0]
		}
		values[param.Name] = []string{value}
		if filledIn := limited && (len(allowed) <= 1 || param.Type.IsArray()); !filledIn {
			sent = append(sent, param.Name+"="+url.QueryEscape(value))
		}
	}
	_, err := query.Bind(values)
	return strings.TrimSuffix(query.Name+"?"+strings.Join(sent, "&"), "?"), err == nil
}

// demoValue returns a value that a parameter probably accepts.
func demoValue(param *sqlq.Param) string {
	switch {
	case len(param.Allowed) > 0 && param.Scope == sqlq.ScopeTier:
		return param.Allowed[0] // the lowest, which most tokens may use
	case len(param.Allowed) > 0:
		return param.Allowed[len(param.Allowed)-1] // of intervals, the longest
	case param.Min != nil:
		return param.Min.Text
	}
	switch param.Type.Element() { //nolint:exhaustive // Parameters of the others are texts.
	case sqlq.Int64, sqlq.Float64, sqlq.Numeric:
		return "1"
	case sqlq.Bool:
		return "true"
	case sqlq.Timestamp, sqlq.Date:
		return "2026-01-01"
	}
	return demoProject
}

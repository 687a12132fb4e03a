package auth_test

import (
	"net/http"
	"testing"

	"github.com/stretchr/testify/assert"

	"savedq/internal/auth"
	"savedq/sqlq"
)

// The values that a token has for a parameter are those that requests may use.
func TestBoundValues(t *testing.T) {
	t.Parallel()
	project := sqlq.Param{Name: "ref", Type: sqlq.String, Scope: sqlq.ScopeProject, MaxLength: 5}
	number := sqlq.Param{Name: "size", Type: sqlq.Int64}
	choice := sqlq.Param{Name: "method", Type: sqlq.String, Allowed: []string{"GET", "POST"}}
	expression := sqlq.Param{Name: "search", Type: sqlq.String, Regex: true}
	static := auth.Token{Name: "static", Projects: []string{"b", "a", "too long"}}
	signed := auth.Token{Name: "signed", Issuer: "i", Projects: []string{"a"}, Bound: map[string][]string{
		"ref": {"a", "b"}, "size": {"7", "x"}, "method": {"PUT", "GET"}, "search": {"(", "."},
	}}
	for name, test := range map[string]struct {
		token   auth.Token
		param   sqlq.Param
		want    []string
		limited bool
	}{
		"nothing is bound":            {auth.FullAccess("full"), project, nil, false},
		"another parameter":           {static, number, nil, false},
		"the project":                 {static, project, []string{"a", "b"}, true},
		"by scope and by name":        {signed, project, []string{"a"}, true},
		"values of another type":      {signed, number, []string{"7"}, true},
		"values that are not allowed": {signed, choice, []string{"GET"}, true},
		"literals of an expression":   {signed, expression, []string{"(", "."}, true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			with(t, test.token, func(r *http.Request) {
				values, limited := auth.BoundValues(r.Context())(&test.param)
				assert.Equal(t, test.want, values)
				assert.Equal(t, test.limited, limited)
			})
		})
	}
	_, limited := auth.BoundValues(t.Context())(&project)
	assert.True(t, limited, "without a token nothing is allowed")
}

package sqlq_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"savedq/sqlq"
)

// D33: a failure is the caller's only if the arguments alone cause it.
func TestBlameArguments(t *testing.T) {
	t.Parallel()
	const together = "the query cannot use these values together; see the descriptions of its parameters"
	const alone = ": the query cannot use this value; see the description of the parameter"
	// Each statement has the arguments a, b and c, which are 1; neutral are 0, and 7.
	tests := map[string]struct {
		probe  func(a, b, c int64) (fails, undecided bool)
		want   string
		probes int
	}{
		"caused by data":             {func(_, _, _ int64) (fails, undecided bool) { return false, false }, "", 1},
		"caused by the SQL":          {func(_, _, _ int64) (fails, undecided bool) { return true, false }, "", 3},
		"caused by one argument":     {func(_, b, _ int64) (fails, undecided bool) { return b == 1, false }, "b" + alone, 4},
		"caused by each of two":      {func(a, b, _ int64) (fails, undecided bool) { return a == 1 || b == 1, false }, "a" + alone, 3},
		"caused by an allowed value": {func(_, _, c int64) (fails, undecided bool) { return c == 1, false }, "", 5},
		"caused by two together":     {func(a, b, _ int64) (fails, undecided bool) { return a == 1 && b == 1, false }, together, 8},
		"caused by either of two":    {func(a, b, c int64) (fails, undecided bool) { return a+b+c == 2 || a+b+c == 3, false }, together, 8},
		"one of three removed helps": {func(a, b, c int64) (fails, undecided bool) { return b == 1 && a+c > 0, false }, "b" + alone, 8},
		"the first neutral fails":    {func(a, b, _ int64) (fails, undecided bool) { return b == 1 || a == 0, false }, "b" + alone, 5},
		"undecided":                  {func(_, _, _ int64) (fails, undecided bool) { return true, true }, "", 1},
		"undecided on the neutral":   {func(a, _, _ int64) (fails, undecided bool) { return true, a != 1 }, "", 3},
		"undecided later":            {func(a, b, _ int64) (fails, undecided bool) { return a == 1 && b == 1, a == 1 && b == 0 }, "", 3},
		"undecided at the end":       {func(a, b, c int64) (fails, undecided bool) { return a+b == 2, a+b+c == 2 && c == 1 }, "", 6},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			query := &sqlq.SavedQuery{Params: []sqlq.Param{{Name: "a"}, {Name: "b"}, {Name: "c", Allowed: []string{"1"}}}}
			args := func(value int64) []sqlq.Arg {
				return []sqlq.Arg{{Name: "a", Value: value}, {Name: "b", Value: value}, {Name: "c", Value: value}}
			}
			probes := 0
			got := sqlq.Statement{Query: query, Args: args(1)}.BlameArguments([][]sqlq.Arg{args(0), args(7)}, func(s sqlq.Statement) sqlq.Probe {
				probes++
				switch fails, undecided := test.probe(s.Args[0].Value.(int64), s.Args[1].Value.(int64), s.Args[2].Value.(int64)); {
				case undecided:
					return sqlq.ProbeUndecided
				case fails:
					return sqlq.ProbeFails
				}
				return sqlq.ProbeWorks
			})
			assert.Equal(t, test.probes, probes)
			if test.want == "" {
				assert.Nil(t, got)
				return
			}
			if assert.NotNil(t, got) {
				assert.Equal(t, sqlq.InvalidArgument, got.Code)
				assert.Equal(t, test.want, got.PublicText(got.Param))
			}
		})
	}
}

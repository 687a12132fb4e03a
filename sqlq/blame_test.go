package sqlq_test

import (
	"errors"
	"testing"

	"github.com/stretchr/testify/assert"

	"savedq/sqlq"
)

// D33: a failure is the caller's only if the arguments alone cause it.
func TestBlameArguments(t *testing.T) {
	t.Parallel()
	const together = "the query cannot work with these values together; the descriptions of its parameters say what they are"
	const alone = ": the query cannot work with this value; the description of the parameter says what it is"
	undecided := errors.New("timeout")
	// Each statement has the arguments a, b and c, which are 1; neutral are 0, and 7.
	tests := map[string]struct {
		probe  func(a, b, c int64) (bool, error)
		want   string
		probes int
	}{
		"data is at fault":            {func(_, _, _ int64) (bool, error) { return false, nil }, "", 1},
		"the SQL is at fault":         {func(_, _, _ int64) (bool, error) { return true, nil }, "", 3},
		"one is at fault":             {func(_, b, _ int64) (bool, error) { return b == 1, nil }, "b" + alone, 4},
		"two are at fault":            {func(a, b, _ int64) (bool, error) { return a == 1 || b == 1, nil }, "a" + alone, 3},
		"an allowed one is at fault":  {func(_, _, c int64) (bool, error) { return c == 1, nil }, "", 5},
		"two are at fault together":   {func(a, b, _ int64) (bool, error) { return a == 1 && b == 1, nil }, together, 8},
		"either is at fault, not one": {func(a, b, c int64) (bool, error) { return a+b+c == 2 || a+b+c == 3, nil }, together, 8},
		"one of three removed helps":  {func(a, b, c int64) (bool, error) { return b == 1 && a+c > 0, nil }, "b" + alone, 8},
		"the first neutral fails":     {func(a, b, _ int64) (bool, error) { return b == 1 || a == 0, nil }, "b" + alone, 5},
		"undecided":                   {func(_, _, _ int64) (bool, error) { return true, undecided }, "", 1},
		"undecided on the neutral":    {func(a, _, _ int64) (bool, error) { return true, only(a != 1, undecided) }, "", 3},
		"undecided later":             {func(a, b, _ int64) (bool, error) { return a == 1 && b == 1, only(a == 1 && b == 0, undecided) }, "", 3},
		"undecided at the end":        {func(a, b, c int64) (bool, error) { return a+b == 2, only(a+b+c == 2 && c == 1, undecided) }, "", 6},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			query := &sqlq.SavedQuery{Params: []sqlq.Param{{Name: "a"}, {Name: "b"}, {Name: "c", Allowed: []string{"1"}}}}
			args := func(value int64) []sqlq.Arg {
				return []sqlq.Arg{{Name: "a", Value: value}, {Name: "b", Value: value}, {Name: "c", Value: value}}
			}
			probes := 0
			got := sqlq.Statement{Query: query, Args: args(1)}.BlameArguments([][]sqlq.Arg{args(0), args(7)}, func(s sqlq.Statement) (bool, error) {
				probes++
				return test.probe(s.Args[0].Value.(int64), s.Args[1].Value.(int64), s.Args[2].Value.(int64))
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

func only(condition bool, err error) error {
	if condition {
		return err
	}
	return nil
}

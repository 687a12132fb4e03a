package sqlq_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"savedq/sqlq"
)

// A parameter that asks for other rows is refused, although it is not declared (D37); all
// others are ignored (D8).
func TestBindRefuses(t *testing.T) {
	t.Parallel()
	list := sqlq.Param{Name: "projects", Type: sqlq.ArrayOf(sqlq.String)}
	single := sqlq.Param{Name: "interval", Type: sqlq.String}
	own := sqlq.Param{Name: "sql", Type: sqlq.String}
	const ownSQL = "this saved query runs its own SQL only; leave sql out"
	for name, test := range map[string]struct {
		params      []sqlq.Param
		raw         string
		values      []string
		want, wrong string
	}{
		"SQL":                         {nil, "sql", []string{"SELECT 1"}, ownSQL, "sql"},
		"SQL twice":                   {nil, "sql", []string{"", "SELECT 1"}, ownSQL, "sql"},
		"LQL":                         {nil, "lql", []string{"a"}, "this saved query runs its own SQL only; leave lql out", "lql"},
		"no SQL":                      {nil, "sql", []string{""}, "", ""},
		"no LQL":                      {nil, "lql", nil, "", ""},
		"a declared sql":              {[]sqlq.Param{own}, "sql", []string{"SELECT 1"}, "", ""},
		"brackets of a list":          {[]sqlq.Param{list}, "projects[]", []string{"a"}, "repeat the plain name for each value of a list, as in projects=a&projects=b", "projects[]"},
		"an index of a list":          {[]sqlq.Param{list}, "projects[0]", []string{"a"}, "repeat the plain name for each value of a list, as in projects=a&projects=b", "projects[0]"},
		"brackets without a value":    {[]sqlq.Param{list}, "projects[]", []string{""}, "", ""},
		"brackets of a single value":  {[]sqlq.Param{single}, "interval[]", []string{"a"}, "use the plain name, as in interval=a", "interval[]"},
		"brackets of another name":    {[]sqlq.Param{list}, "tags[]", []string{"a"}, "", ""},
		"a name that ends in bracket": {[]sqlq.Param{list}, "projects[", []string{"a"}, "", ""},
		"another name":                {[]sqlq.Param{list}, "debug", []string{"a"}, "", ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			query := &sqlq.SavedQuery{Params: test.params}
			_, err := query.Bind(map[string][]string{test.raw: test.values})
			if test.want == "" {
				require.NoError(t, err)
				return
			}
			failure := sqlq.AsError(err)
			require.Error(t, failure)
			assert.Equal(t, sqlq.InvalidArgument, failure.Code)
			assert.Equal(t, test.want, failure.Message)
			assert.Equal(t, test.wrong, failure.Param)
		})
	}
}

package sqlq_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"savedq/sqlq"
)

func TestClosestName(t *testing.T) {
	t.Parallel()
	names := []string{"functions.invocation-stats", "functions.list", "logs.all", "logs.facets", "projects.list", "usage.api-counts", "ab", "logs.all2"}
	for name, test := range map[string]struct{ typed, want string }{
		"a letter too few":          {"logs.al", "logs.all"},
		"a letter too many":         {"logs.alll", "logs.all"},
		"another letter":            {"usage.api_counts", "usage.api-counts"},
		"two swapped letters":       {"lgos.all", "logs.all"},
		"two typos":                 {"usage.apicount", "usage.api-counts"},
		"three typos":               {"usag.apicount", ""},
		"another letter case":       {"LOGS.ALL", "logs.all"},
		"the name itself":           {"logs.all", "logs.all"},
		"the first of two":          {"logs.all3", "logs.all"},
		"the closer of two":         {"projects.lst", "projects.list"},
		"another name":              {"nosuch", ""},
		"a short name":              {"ax", ""},
		"nothing":                   {"", ""},
		"a letter of several bytes": {"lögs.all", "logs.all"},
		"invalid UTF-8":             {"logs.al\xff", "logs.all"},
		"a long name":               {strings.Repeat("x", 1<<16), ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			assert.Equal(t, test.want, sqlq.ClosestName(test.typed, names))
		})
	}
	assert.Empty(t, sqlq.ClosestName("logs.all", nil))
}

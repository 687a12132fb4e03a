package cli

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// Each flag has a variable, unless it selects what is deleted, or whose usage is shown. None has the name of a variable
// that Kubernetes sets.
func TestVariablesOfFlags(t *testing.T) {
	t.Parallel()
	program, err := Model()
	require.NoError(t, err)
	for _, command := range program.Leaves(true) {
		for _, flag := range command.Flags {
			variable := "SAVEDQ_" + strings.ToUpper(strings.ReplaceAll(flag.Name, "-", "_"))
			if flag.Tag.Get(variableTag) == "-" {
				assert.Contains(t, []string{"store delete", "purge", "usage"}, command.Path(), "the command of --%s", flag.Name)
				assert.Empty(t, flag.Envs)
			} else {
				assert.Equal(t, []string{variable}, flag.Envs, "the variable of --%s", flag.Name)
			}
			assert.NotRegexp(t, `^SAVEDQ_(PORT|SERVICE)(_|$)`, variable, "Kubernetes sets it where a service is called savedq")
		}
	}
}

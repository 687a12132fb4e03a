package cli

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/alecthomas/kong"
)

// environment gives values to flags that are not on the command line. Kong could do
// so itself, but takes a variable that is set and empty for a value, which is what
// scripts and unit files leave where they mean none.
type environment struct {
	getenv func(name string) string
	// given are the variables that gave values, by flag.
	given map[string]string
}

func newEnvironment(getenv func(name string) string) *environment {
	return &environment{getenv: getenv, given: make(map[string]string)}
}

// options let a parser ask the environment.
func (e *environment) options() []kong.Option {
	return []kong.Option{kong.Resolvers(kong.ResolverFunc(e.resolve)), kong.ValueFormatter(helpWithVariable)}
}

// nameVariables gives each flag of each command its variable. Kong reads by itself
// those of tags alone.
func nameVariables(program *kong.Application) {
	for _, command := range program.Leaves(false) {
		for _, flag := range command.Flags {
			flag.Envs = []string{"SAVEDQ_" + strings.ToUpper(strings.ReplaceAll(flag.Name, "-", "_"))}
		}
	}
}

// resolve returns the value of a flag's variable; nil where it has none.
func (e *environment) resolve(_ *kong.Context, _ *kong.Path, flag *kong.Flag) (any, error) {
	for _, variable := range flag.Envs {
		if value := e.getenv(variable); value != "" {
			e.given["--"+flag.Name] = variable
			return value, nil
		}
	}
	return nil, nil //nolint:nilnil // It is what kong asks for.
}

// origins says of the flags that a message names which variables gave them: a line
// for each.
func (e *environment) origins(message string) string {
	flags := regexp.MustCompile(`--[a-z][a-z-]*`).FindAllString(message, -1)
	slices.Sort(flags)
	var lines strings.Builder
	for _, flag := range slices.Compact(flags) {
		if variable, ok := e.given[flag]; ok {
			_, _ = fmt.Fprintf(&lines, "%s is given by the variable %s.\n", flag, variable)
		}
	}
	return lines.String()
}

// helpWithVariable is the help of a flag, which names its variable.
func helpWithVariable(value *kong.Value) string {
	if value.Flag == nil || len(value.Flag.Envs) == 0 {
		return value.Help
	}
	return fmt.Sprintf("%s ($%s).", strings.TrimSuffix(value.Help, "."), value.Flag.Envs[0])
}

package cli

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/alecthomas/kong"
)

// environment sets flags that are not on the command line from environment variables. kong
// could do so itself, but reads an empty variable as a value, whereas scripts and unit
// files leave a variable empty to mean no value.
type environment struct {
	getenv func(name string) string
	// sources maps flags to the variables that set them.
	sources map[string]string
}

func newEnvironment(getenv func(name string) string) *environment {
	return &environment{getenv: getenv, sources: make(map[string]string)}
}

// options returns the options that make a parser use the environment.
func (e *environment) options() []kong.Option {
	return []kong.Option{kong.Resolvers(kong.ResolverFunc(e.resolve)), kong.ValueFormatter(helpWithVariable)}
}

// variableTag with the value "-" is the tag of flags that no environment variable sets: those
// that select what is deleted, because a variable can be meant for another command.
const variableTag = "variable"

// nameVariables sets the environment variable of each flag of each command. kong itself
// only reads those in tags.
func nameVariables(program *kong.Application) {
	for _, command := range program.Leaves(false) {
		for _, flag := range command.Flags {
			if flag.Tag.Get(variableTag) == "-" {
				continue
			}
			flag.Envs = []string{"SAVEDQ_" + strings.ToUpper(strings.ReplaceAll(flag.Name, "-", "_"))}
		}
	}
}

// resolve returns the value of a flag's variable, or nil if it has none.
func (e *environment) resolve(_ *kong.Context, _ *kong.Path, flag *kong.Flag) (any, error) {
	for _, variable := range flag.Envs {
		if value := e.getenv(variable); value != "" {
			e.sources["--"+flag.Name] = variable
			return value, nil
		}
	}
	return nil, nil //nolint:nilnil // kong requires it.
}

// origins returns a line for each flag in the message that an environment variable set.
func (e *environment) origins(message string) string {
	flags := regexp.MustCompile(`--[a-z][a-z-]*`).FindAllString(message, -1)
	slices.Sort(flags)
	var lines strings.Builder
	for _, flag := range slices.Compact(flags) {
		if variable, ok := e.sources[flag]; ok {
			_, _ = fmt.Fprintf(&lines, "%s is set by the variable %s.\n", flag, variable)
		}
	}
	return lines.String()
}

// helpWithVariable returns the help of a flag with the name of its variable.
func helpWithVariable(value *kong.Value) string {
	if value.Flag == nil || len(value.Flag.Envs) == 0 {
		return value.Help
	}
	return fmt.Sprintf("%s ($%s).", strings.TrimSuffix(value.Help, "."), value.Flag.Envs[0])
}

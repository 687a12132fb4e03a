package cli

import (
	"errors"
	"fmt"
	"regexp"
	"strings"

	"github.com/alecthomas/kong"
)

// inPlainWords returns the error of the parser for a value that is missing or is not true or false in words of our own.
func inPlainWords(err error) error {
	missing := regexp.MustCompile(`expected [a-z ]+ value but got "EOL" \(<EOL>\)`)
	notBool := regexp.MustCompile(`bool value must be .* but got (".*")`)
	text := missing.ReplaceAllString(err.Error(), "the value is missing")
	if text = notBool.ReplaceAllString(text, "$1 is neither true nor false"); text != err.Error() {
		return errors.New(text)
	}
	return err
}

// withCommands adds the commands to choose from to the error for an unknown one.
func withCommands(err error) error {
	var usage *kong.ParseError
	if !errors.As(err, &usage) || usage.Context == nil || !strings.HasPrefix(err.Error(), "unexpected argument ") || strings.Contains(err.Error(), "did you mean") {
		return err
	}
	node := usage.Context.Selected()
	if node == nil {
		node = usage.Context.Model.Node
	}
	var names []string
	for _, command := range node.Children {
		if command.Type == kong.CommandNode && !command.Hidden {
			names = append(names, command.Name)
		}
	}
	if len(names) == 0 {
		return err
	}
	return fmt.Errorf("%w; the commands are %s", err, strings.Join(names, ", "))
}

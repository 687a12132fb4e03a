// Package reference writes the reference pages of docs from the program: flags and their
// environment variables, metrics, and log messages.
package reference

//go:generate go test -count=1 -run TestPagesAreCurrent . -update

import (
	_ "embed"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/alecthomas/kong"
)

//go:embed flags.md
var flagsIntroduction string

// first is the command whose flags other commands share.
const first = "serve"

// Flags returns the page of the commands and their flags.
func Flags(program *kong.Application) string {
	var page strings.Builder
	page.WriteString(flagsIntroduction)
	commands := program.Leaves(true)
	shared := make(map[string]string)
	for _, command := range commands {
		if command.Path() == first {
			for _, flag := range command.Flags {
				shared[flag.Name] = flagRow(flag)
			}
		}
	}
	for _, command := range commands {
		writeCommand(&page, command, shared)
	}
	return page.String()
}

// writeCommand writes a command. Flags that it shares with "savedq serve" are only named.
func writeCommand(page *strings.Builder, command *kong.Node, shared map[string]string) {
	_, _ = fmt.Fprintf(page, "\n## savedq %s\n\n%s\n", command.Path(), command.Help)
	for _, argument := range command.Positional {
		_, _ = fmt.Fprintf(page, "\n`%s`: %s\n", argument.Summary(), argument.Help)
	}
	var rows, named []string
	for _, flag := range command.Flags {
		row := flagRow(flag)
		switch {
		case flag.Hidden || flag.Name == "help" || flag.Name == "version":
		case command.Path() != first && shared[flag.Name] == row:
			named = append(named, "--"+flag.Name)
		default:
			rows = append(rows, row)
		}
	}
	if len(rows) > 0 {
		page.WriteString("\n| flag | variable | default | |\n|---|---|---|---|\n" + strings.Join(rows, ""))
	}
	if len(named) > 0 {
		slices.Sort(named)
		_, _ = fmt.Fprintf(page, "\nAs for `savedq %s`: %s.\n", first, codes(named))
	}
}

// flagRow returns the row of a flag in the table of its command.
func flagRow(flag *kong.Flag) string {
	name, variable := "`--"+flag.Name+"`", ""
	if flag.Tag.Negatable != "" {
		name = "`--[no-]" + flag.Name + "`"
	}
	if len(flag.Envs) > 0 {
		variable = "`" + flag.Envs[0] + "`"
	}
	help, value := splitDefault(flag.Help)
	switch {
	case flag.Required:
		value = "required"
	case flag.Default != "":
		value = "`" + flag.Default + "`"
	case flag.IsBool():
		value = "`false`"
	}
	return fmt.Sprintf("| %s | %s | %s | %s |\n", name, variable, escapeCell(value), escapeCell(help))
}

// splitDefault splits the default, which is the last sentence, from the help of a flag.
func splitDefault(help string) (rest, value string) {
	match := regexp.MustCompile(`^(.*) Default: (.*?)\.?$`).FindStringSubmatch(help)
	if match == nil {
		return help, ""
	}
	return match[1], match[2]
}

// codes returns names as code, with commas between them.
func codes(names []string) string {
	if len(names) == 0 {
		return ""
	}
	return "`" + strings.Join(names, "`, `") + "`"
}

// escapeCell returns the text of a cell of a table.
func escapeCell(text string) string {
	return strings.NewReplacer("|", `\|`, "<", "&lt;").Replace(text)
}

package cli

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/alecthomas/kong"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// commandFlags maps the flags of a command to their defaults.
type commandFlags map[string]string

// parsedCommands returns the flags of every command of the program.
func parsedCommands(t *testing.T) map[string]commandFlags {
	t.Helper()
	parser, err := newParser(&commands{}, newEnvironment(nil))
	require.NoError(t, err)
	found := make(map[string]commandFlags)
	for _, leaf := range parser.Model.Leaves(true) {
		flags := make(commandFlags)
		for _, flag := range leaf.Flags {
			variable := "SAVEDQ_" + strings.ToUpper(strings.ReplaceAll(flag.Name, "-", "_"))
			if flag.Tag.Get(variableTag) == "-" {
				assert.Contains(t, []string{"store delete", "purge"}, leaf.Path(), "the command of --%s", flag.Name)
				assert.Empty(t, flag.Envs)
			} else {
				assert.Equal(t, []string{variable}, flag.Envs, "the variable of --%s", flag.Name)
			}
			assert.NotRegexp(t, `^SAVEDQ_(PORT|SERVICE)(_|$)`, variable, "Kubernetes sets it where a service is called savedq")
			flags["--"+flag.Name] = defaultOf(flag)
		}
		found[leaf.Path()] = flags
	}
	return found
}

// defaultOf formats the default of a flag as the guide does.
func defaultOf(flag *kong.Flag) string {
	switch {
	case flag.Default != "":
		return "`" + flag.Default + "`"
	case flag.IsBool():
		return "`false`"
	case flag.Required:
		return "none, required"
	}
	return "none"
}

// documentedCommands returns the flags of every command in the operator's guide: those in
// its table, and those that it shares with "serve".
func documentedCommands(t *testing.T) map[string]commandFlags {
	t.Helper()
	text, err := os.ReadFile("../../docs/operations.md")
	require.NoError(t, err)
	found := make(map[string]commandFlags)
	_, sections, _ := strings.Cut(string(text), "\n## Flags\n")
	sections, _, _ = strings.Cut(sections, "\n## ")
	for _, section := range strings.Split(sections, "\n### ")[1:] {
		command, isCommand := strings.CutPrefix(strings.SplitN(section, "\n", 2)[0], "savedq ")
		if !isCommand {
			continue
		}
		flags := make(commandFlags)
		for _, row := range regexp.MustCompile("(?m)^\\| `(--[a-z-]+)` \\| (.*?) \\| .+ \\|$").FindAllStringSubmatch(section, -1) {
			flags[row[1]] = row[2]
		}
		also := regexp.MustCompile(`(?s)\nAlso takes (.*?)\.\n`).FindString(section)
		for _, flag := range regexp.MustCompile("`(--[a-z-]+)`").FindAllStringSubmatch(also, -1) {
			flags[flag[1]] = found["serve"][flag[1]]
			assert.NotEmpty(t, flags[flag[1]], "serve takes no %s", flag[1])
		}
		found[command] = flags
	}
	return found
}

// The operator's guide lists exactly the flags of every command, with their defaults.
func TestDocumentedFlags(t *testing.T) {
	t.Parallel()
	documented := documentedCommands(t)
	for command, flags := range parsedCommands(t) {
		assert.Equal(t, flags, documented[command], command)
		delete(documented, command)
	}
	assert.Empty(t, documented, "there are no such commands")
}

// Rules that match log lines need all of them: each constant message is in the operator's guide, at least up to a semicolon.
func TestDocumentedLogLines(t *testing.T) {
	t.Parallel()
	guide, err := os.ReadFile("../../docs/operations.md")
	require.NoError(t, err)
	line := regexp.MustCompile(`[lL]ogger\.(?:Error|Warn|Info)(?:Context)?\((?:[^,"]+, )?"([^";]+)|k\.warn\(.*"([^"]+)"\)`)
	found := 0
	for _, root := range []string{"..", "../../sqlq"} {
		require.NoError(t, filepath.WalkDir(root, func(path string, _ fs.DirEntry, err error) error {
			if err != nil || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
				return err
			}
			source, err := os.ReadFile(path)
			for _, match := range line.FindAllSubmatch(source, -1) {
				message := string(match[1]) + string(match[2])
				found++
				if !strings.HasPrefix(message, "every user of this machine can read ") && !strings.HasPrefix(message, "the token of the variable ") {
					documented := strings.Contains(string(guide), "`"+message)
					assert.True(t, documented, "%s logs what docs/operations.md does not list: %s", path, message)
				}
			}
			return err
		}))
	}
	assert.Greater(t, found, 40)
}

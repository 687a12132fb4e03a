package livetest_test

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// install is the line of a README that is not run: whoever runs the tests has done
// it, or they are skipped.
const install = "npm ci --ignore-scripts"

// step is a block of commands of a README, with the output that it documents;
// empty where it documents none.
type step struct {
	commands, documented string
}

// steps returns the blocks of commands of a README: those marked sh. A block marked
// text that follows is their output.
func steps(t *testing.T, readme string) []step {
	t.Helper()
	markdown, err := os.ReadFile(readme)
	require.NoError(t, err)
	var found []step
	for _, block := range regexp.MustCompile("(?ms)^```(\\w+)\n(.*?)^```$").FindAllStringSubmatch(string(markdown), -1) {
		switch language, text := block[1], block[2]; language {
		case "sh":
			found = append(found, step{commands: strings.TrimSpace(text)})
		case "text":
			require.NotEmpty(t, found, "output comes after commands")
			found[len(found)-1].documented = text
		}
	}
	require.NotEmpty(t, found)
	return found
}

// follow does what the README of a client says, in the directory of the client, and
// returns what the last commands print.
func follow(t *testing.T, directory, url string) (printed string) {
	t.Helper()
	const patience = 5 * time.Minute // for commands that should have ended
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	for _, step := range steps(t, filepath.Join(directory, "README.md")) {
		commands := strings.ReplaceAll(step.commands, install+"\n", "")
		shell := exec.CommandContext(ctx, "bash", "-euc", commands)
		shell.Dir = directory
		shell.Env = append(os.Environ(), "SAVEDQ_URL="+url, "SAVEDQ_TOKEN="+token)
		var stdout, stderr strings.Builder
		shell.Stdout, shell.Stderr = &stdout, &stderr
		require.NoError(t, shell.Run(), "%s\n%s%s", step.commands, &stdout, &stderr)
		if step.documented != "" {
			require.Equal(t, withoutDays(step.documented), withoutDays(stdout.String()))
		}
		printed = stdout.String()
	}
	return printed
}

// withoutDays takes out of a text what depends on when it was made.
func withoutDays(text string) string {
	return regexp.MustCompile(`\d{4}-\d\d-\d\d`).ReplaceAllString(text, "<day>")
}

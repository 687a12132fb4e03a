package auth_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"savedq/internal/auth"
)

// tokensFile writes a tokens file with a mode, and returns its path.
func tokensFile(t *testing.T, content string, mode os.FileMode) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "tokens.yaml")
	require.NoError(t, os.WriteFile(path, []byte(content), 0o600))
	require.NoError(t, os.Chmod(path, mode))
	return path
}

// entry is the entry of a token, and its name.
func entry(name string) string { return auth.EntryYAML(auth.Token{Name: name}, auth.HashOf(name)) }

// A token is added behind the others, whatever the style of the file, and everything else stays.
func TestAddToFile(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct{ before, want, err string }{
		"no file":         {"", "tokens:\n" + entry("new"), ""},
		"an entry":        {"tokens:\n" + entry("old"), "tokens:\n" + entry("old") + entry("new"), ""},
		"no line end":     {"tokens:\n" + strings.TrimSuffix(entry("old"), "\n"), "tokens:\n" + entry("old") + entry("new"), ""},
		"comments":        {"# mine\ntokens:\n  # first\n" + entry("old") + "  # last\n", "# mine\ntokens:\n  # first\n" + entry("old") + "  # last\n" + entry("new"), ""},
		"no indentation":  {"tokens:\n" + strings.ReplaceAll(strings.TrimPrefix(entry("old"), "  "), "\n  ", "\n"), "tokens:\n" + strings.ReplaceAll(strings.TrimPrefix(entry("old")+entry("new"), "  "), "\n  ", "\n"), ""},
		"a dash alone":    {"tokens:\n  -\n    name: old\n    sha256: " + hash("old") + "\n", "tokens:\n  -\n    name: old\n    sha256: " + hash("old") + "\n" + entry("new"), ""},
		"foreign names":   {"tokens:\n" + entry("old") + "    endpoints: [elsewhere]\n", "tokens:\n" + entry("old") + "    endpoints: [elsewhere]\n" + entry("new"), ""},
		"the name exists": {"tokens:\n" + entry("new"), "", `has a token "new" already; revoke it, or choose another name`},
		"a flow list":     {"tokens: [{name: old, sha256: " + hash("old") + "}]\n", "", "is written in a form that savedq does not change, such as [{name: …}]; change it by hand"},
		"a mistake":       {"tokens:\n  - {nam: old}\n", "", `unknown key "nam"`},
		"no list":         {"tokens: 7\n", "", "tokens.yaml:1:9: "},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			path := filepath.Join(t.TempDir(), "tokens.yaml")
			if test.before != "" {
				path = tokensFile(t, test.before, 0o640)
			}
			err := auth.AddToFile(path, auth.Token{Name: "new"}, auth.HashOf("new"))
			got, readErr := os.ReadFile(path)
			require.NoError(t, readErr)
			if test.err != "" {
				require.ErrorContains(t, err, test.err)
				assert.Equal(t, test.before, string(got))
				return
			}
			require.NoError(t, err)
			assert.Equal(t, test.want, string(got))
			info, err := os.Stat(path)
			require.NoError(t, err)
			wantMode := os.FileMode(0o640)
			if test.before == "" {
				wantMode = 0o600
			}
			assert.Equal(t, wantMode, info.Mode(), "an old file keeps its mode")
		})
	}
}

// A token is removed with its lines and comments, and everything else stays.
func TestRemoveFromFile(t *testing.T) {
	t.Parallel()
	a, b, c := entry("a"), entry("b")+"    projects:\n      - x\n      - y\n", entry("c")
	all := "# mine\ntokens:\n  # about a\n" + a + "\n  # about b\n" + b + "  # about c\n" + c + "# end\n"
	for name, test := range map[string]struct{ before, want, err string }{
		"a":    {all, "# mine\ntokens:\n  # about a\n  # about b\n" + b + "  # about c\n" + c + "# end\n", ""},
		"b":    {all, "# mine\ntokens:\n  # about a\n" + a + "\n  # about b\n  # about c\n" + c + "# end\n", ""},
		"c":    {all, "# mine\ntokens:\n  # about a\n" + a + "\n  # about b\n" + b + "  # about c\n", ""},
		"d":    {all, "", auth.ErrNoToken.Error()},
		"only": {"tokens:\n" + entry("only"), "", "it is the only token in "},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			path := tokensFile(t, test.before, 0o600)
			link := filepath.Join(t.TempDir(), "link.yaml")
			require.NoError(t, os.Symlink(path, link))
			err := auth.RemoveFromFile(link, name)
			got, readErr := os.ReadFile(path)
			require.NoError(t, readErr)
			if test.err != "" {
				require.ErrorContains(t, err, test.err)
				assert.Equal(t, test.before, string(got))
				return
			}
			require.NoError(t, err)
			assert.Equal(t, test.want, string(got))
		})
	}
	t.Run("no file, no directory", func(t *testing.T) {
		t.Parallel()
		path := filepath.Join(t.TempDir(), "nosuch", "tokens.yaml")
		require.EqualError(t, auth.RemoveFromFile(path, "a"), path+" cannot be read: no such file or directory")
		require.EqualError(t, auth.AddToFile(path, auth.Token{Name: "a"}, auth.HashOf("a")), path+" cannot be created: no such file or directory")
	})
	t.Run("writable by others", func(t *testing.T) {
		t.Parallel()
		require.ErrorContains(t, auth.RemoveFromFile(tokensFile(t, all, 0o666), "a"), "others can write to it")
	})
}

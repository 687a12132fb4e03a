package reference

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// Relative links of the documents lead to files and headings that exist.
func TestLinks(t *testing.T) {
	t.Parallel()
	const root = "../../.."
	var pages []string
	for _, pattern := range []string{"*.md", "examples/*/README.md"} {
		found, err := filepath.Glob(filepath.Join(root, pattern))
		require.NoError(t, err)
		pages = append(pages, found...)
	}
	require.NoError(t, filepath.WalkDir(filepath.Join(root, "docs"), func(path string, _ fs.DirEntry, err error) error {
		if filepath.Ext(path) == ".md" {
			pages = append(pages, path)
		}
		return err
	}))
	assert.Greater(t, len(pages), 50)
	link := regexp.MustCompile(`\]\(([^)\s]+)\)`)
	headings := make(map[string]map[string]bool) // by page
	for _, page := range pages {
		for _, match := range link.FindAllStringSubmatch(prose(t, page), -1) {
			if strings.Contains(match[1], "://") {
				continue
			}
			path, heading, hasHeading := strings.Cut(match[1], "#")
			target := page
			if path != "" {
				target = filepath.Join(filepath.Dir(page), path)
			}
			if _, err := os.Stat(target); !assert.NoError(t, err, "%s links to %s", page, match[1]) || !hasHeading {
				continue
			}
			if headings[target] == nil {
				headings[target] = anchors(prose(t, target))
			}
			assert.Contains(t, headings[target], heading, "%s links to %s", page, match[1])
		}
	}
}

// prose returns a page without its fenced blocks.
func prose(t *testing.T, page string) string {
	t.Helper()
	text, err := os.ReadFile(page)
	require.NoError(t, err)
	return regexp.MustCompile("(?ms)^ *```.*?^ *```$").ReplaceAllString(string(text), "")
}

// anchors returns the anchors that GitHub gives the headings of a page.
func anchors(page string) map[string]bool {
	found := make(map[string]bool)
	link, other := regexp.MustCompile(`\[([^\]]*)\]\([^)]*\)`), regexp.MustCompile(`[^\p{L}\p{N} _-]`)
	for _, heading := range regexp.MustCompile(`(?m)^#+ (.*)$`).FindAllStringSubmatch(page, -1) {
		text := other.ReplaceAllString(strings.ToLower(link.ReplaceAllString(heading[1], "$1")), "")
		anchor := strings.ReplaceAll(text, " ", "-")
		for i := 1; found[anchor]; i++ {
			anchor = strings.TrimSuffix(anchor, "-"+strconv.Itoa(i-1)) + "-" + strconv.Itoa(i)
		}
		found[anchor] = true
	}
	return found
}

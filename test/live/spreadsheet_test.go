package live_test

import (
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// The script for Google Sheets and the Power Query for Excel import the rows.
func TestSpreadsheets(t *testing.T) {
	t.Parallel()
	data := filepath.Join(t.TempDir(), "data")
	loadSamples(t, data)
	s := serve(t, "--data", data)
	lines := strings.Split(strings.TrimSuffix(s.get(t, "/api/endpoints/functions.invocation-stats?project=acme&interval=7day&format=csv"), "\n"), "\n")
	require.Len(t, lines, 9)

	t.Run("sheets", func(t *testing.T) {
		if _, err := exec.LookPath("node"); err != nil {
			t.Skip("node is not installed")
		}
		run := func(token string) (string, error) {
			node := exec.CommandContext(t.Context(), "node", "testdata/sheets.mjs", filepath.Join(root, "examples/spreadsheet/import.gs"))
			node.Env = append(os.Environ(), "SAVEDQ_URL="+s.url+"/", "SAVEDQ_TOKEN="+token)
			printed, err := node.CombinedOutput()
			return string(printed), err
		}
		printed, err := run(s.token)
		require.NoError(t, err, printed)
		assert.Equal(t, strings.ReplaceAll(strings.Join(lines, "\n"), ",", "|")+"\n", printed)
		printed, err = run("wrong")
		require.Error(t, err)
		assert.Contains(t, printed, "UNAUTHENTICATED")
	})

	t.Run("excel", func(t *testing.T) {
		text, err := os.ReadFile(filepath.Join(root, "examples/spreadsheet/import.pq"))
		require.NoError(t, err)
		find := func(pattern string) string {
			found := regexp.MustCompile(pattern).FindSubmatch(text)
			require.NotNil(t, found, pattern)
			return string(found[1])
		}
		query := url.Values{}
		for _, pair := range regexp.MustCompile(`(\w+) = "(\w+)"`).FindAllStringSubmatch(find(`Query = \[(.*)\]`), -1) {
			query.Set(pair[1], pair[2])
		}
		response := ask(t, http.MethodGet, s.url+"/"+find(`RelativePath = "(.*)"`)+"?"+query.Encode(), nil,
			find(`Headers = \[#"(.*)" = Token\]`), s.token)
		received := strings.Split(body(t, response), "\n")
		assert.Equal(t, lines, received[:len(lines)])
		var columns []string
		for _, column := range regexp.MustCompile(`\{"(\w+)", `).FindAllSubmatch(text, -1) {
			columns = append(columns, string(column[1]))
		}
		assert.Equal(t, received[0], strings.Join(columns, ","))
	})
	require.Zero(t, s.stop(t))
}

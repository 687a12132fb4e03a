package deploy_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"savedq/internal/http/outgoing"
)

// release.sh builds nothing from a checkout with changes, without the number of the release, or for a target that has no
// compiler here, and says why. With a Go that only notes what it builds, each target becomes an archive that has the same
// bytes each time.
func TestRelease(t *testing.T) {
	t.Parallel()
	if runtime.GOOS != "linux" {
		t.Skip("release.sh needs GNU tar")
	}
	checkout := t.TempDir()
	write := func(name, text string) {
		path := filepath.Join(checkout, name)
		require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o700))
		require.NoError(t, os.WriteFile(path, []byte(text), 0o700))
	}
	script, err := os.ReadFile("release.sh")
	require.NoError(t, err)
	write("deploy/release.sh", string(script))
	for _, name := range []string{"LICENSE", "CHANGELOG.md", "deploy/savedq.service", "deploy/prometheus-alerts.yaml", "deploy/grafana-dashboard.json"} {
		write(name, name)
	}
	write("internal/http/outgoing/outgoing.go", "package outgoing\n")
	write(".gitignore", "/dist/\n/bin/\n")
	write("bin/go", `#!/bin/sh
case "$*" in
"env GOHOSTOS") echo linux ;;
"env GOHOSTARCH") echo amd64 ;;
build*) while [ "$1" != -o ]; do shift; done; echo "built for $GOOS/$GOARCH with ${CXX:-its own compiler}" >"$2" ;;
run*) while [ "$1" != -output ]; do shift; done; printf '{\n  "timestamp": "%s"\n}\n' "$(date +%N)" >"$2" ;;
*) exit 1 ;;
esac
`)
	for _, compiler := range []string{"g++", "aarch64-linux-gnu-g++"} {
		write("bin/"+compiler, "#!/bin/sh\necho /usr/lib/libstdc++.a\n")
	}
	git := func(arguments ...string) {
		command := exec.CommandContext(t.Context(), "git", append([]string{"-C", checkout, "-c", "user.name=a", "-c", "user.email=a@example.com"}, arguments...)...)
		output, err := command.CombinedOutput()
		require.NoError(t, err, string(output))
	}
	release := func(arguments ...string) (string, error) {
		command := exec.CommandContext(t.Context(), filepath.Join(checkout, "deploy/release.sh"), arguments...)
		command.Env = append(os.Environ(), "PATH="+filepath.Join(checkout, "bin")+":"+os.Getenv("PATH"))
		output, err := command.CombinedOutput()
		return string(output), err
	}
	fails := func(want string, arguments ...string) {
		output, err := release(arguments...)
		require.Error(t, err, output)
		assert.Contains(t, output, want)
	}
	git("init", "--quiet")
	fails("the checkout has changes")
	git("add", ".")
	git("commit", "--quiet", "--message", "a")
	fails("the number of the release is not in internal/http/outgoing/outgoing.go")
	write("internal/http/outgoing/outgoing.go", "package outgoing\n\nconst Release = \""+outgoing.Release+"\"\n")
	git("commit", "--quiet", "--all", "--message", "b")
	fails("darwin/arm64 cannot be built here", "darwin/arm64")

	var sums []string
	for range 2 {
		output, err := release("linux/amd64", "linux/arm64")
		require.NoError(t, err, output)
		sum, err := os.ReadFile(filepath.Join(checkout, "dist/checksums.txt"))
		require.NoError(t, err)
		sums = append(sums, string(sum))
	}
	assert.Equal(t, sums[0], sums[1])
	for target, compiler := range map[string]string{"linux-amd64": "linux/amd64 with its own compiler", "linux-arm64": "linux/arm64 with aarch64-linux-gnu-g++"} {
		name := "savedq-" + outgoing.Release + "-" + target
		assert.Contains(t, sums[0], "  "+name+".tar.gz\n")
		archive := filepath.Join(checkout, "dist", name+".tar.gz")
		list, err := exec.CommandContext(t.Context(), "tar", "--list", "--file", archive).Output()
		require.NoError(t, err)
		var names []string
		for line := range strings.Lines(string(list)) {
			names = append(names, strings.TrimPrefix(strings.TrimSpace(line), name+"/"))
		}
		assert.Equal(t, []string{"", "CHANGELOG.md", "LICENSE", "grafana-dashboard.json", "prometheus-alerts.yaml", "savedq", "savedq.service", "sbom.cdx.json"}, names)
		program, err := exec.CommandContext(t.Context(), "tar", "--extract", "--to-stdout", "--file", archive, name+"/savedq").Output()
		require.NoError(t, err)
		assert.Equal(t, "built for "+compiler+"\n", string(program))
	}
}

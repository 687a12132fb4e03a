package memory

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
)

// container is a control group that limits the memory of its processes, which is what a container is to them.
type container struct {
	path string
	// peak names the file that has the largest memory, and kills the one that counts the processes that the kernel has
	// killed.
	peak, kills string
}

// newContainer returns a container with an amount of memory, or skips the test where none can be made.
func newContainer(t *testing.T, memory int64) container {
	t.Helper()
	root, limit, swap := "/sys/fs/cgroup", "memory.max", "memory.swap.max"
	made := container{peak: "memory.peak", kills: "memory.events"}
	if _, err := os.Stat(filepath.Join(root, "memory", "memory.limit_in_bytes")); err == nil { // the first version
		root, limit, swap = filepath.Join(root, "memory"), "memory.limit_in_bytes", "memory.swappiness"
		made.peak, made.kills = "memory.max_usage_in_bytes", "memory.oom_control"
	}
	path := filepath.Join(root, fmt.Sprintf("savedq-test-%d-%s", os.Getpid(), strings.ReplaceAll(t.Name(), "/", "-")))
	if err := os.Mkdir(path, 0o700); err != nil {
		t.Skipf("no control group can be made here, which needs root and the file system of control groups: %v", err)
	}
	made.path = path
	t.Cleanup(func() {
		assert.Eventually(t, func() bool { return os.Remove(path) == nil }, time.Minute, 10*time.Millisecond, "processes are left in %s", path)
	})
	if err := made.write(limit, strconv.FormatInt(memory, 10)); err != nil {
		t.Skipf("control groups cannot limit memory here: %v", err)
	}
	if err := made.write(swap, "0"); err != nil && !errors.Is(err, fs.ErrNotExist) { // nothing is swapped out
		t.Skipf("control groups cannot limit memory here: %v", err)
	}
	return made
}

// write writes a file of the control group. It never creates one.
func (c container) write(name, value string) error {
	file, err := os.OpenFile(filepath.Join(c.path, name), os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	_, err = file.WriteString(value)
	return errors.Join(err, file.Close())
}

// run returns a command that runs in the container from its first instruction on.
func (c container) run(t *testing.T, program string, args ...string) *exec.Cmd {
	t.Helper()
	return exec.CommandContext(t.Context(), "sh", append([]string{"-c", `echo $$ >"$0" && exec "$@"`, filepath.Join(c.path, "cgroup.procs"), program}, args...)...)
}

// killed returns how many processes the kernel has killed for their memory, or 0 if it does not count them.
func (c container) killed() string {
	events, _ := os.ReadFile(filepath.Join(c.path, c.kills))
	if count := regexp.MustCompile(`(?m)^oom_kill (\d+)$`).FindSubmatch(events); count != nil {
		return string(count[1])
	}
	return "0"
}

// largest returns the largest memory so far, the page cache included, for people.
func (c container) largest() string {
	text, err := os.ReadFile(filepath.Join(c.path, c.peak))
	if err != nil {
		return "unknown"
	}
	return strings.TrimSpace(string(text))
}

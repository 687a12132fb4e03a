package memory_test

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"savedq/internal/operations/memory"
)

// reading makes the test program read the memory with the files of a directory in place of those that the kernel has.
const reading = "SAVEDQ_TEST_READ_MEMORY"

func TestMain(m *testing.M) {
	directory := os.Getenv(reading)
	if directory == "" {
		os.Exit(m.Run())
	}
	err := errors.Join(
		syscall.Mount("", "/", "", syscall.MS_REC|syscall.MS_PRIVATE, ""),
		syscall.Mount(filepath.Join(directory, "mountinfo"), "/proc/self/mountinfo", "", syscall.MS_BIND, ""),
		syscall.Mount(filepath.Join(directory, "cgroup"), "/proc/self/cgroup", "", syscall.MS_BIND, ""),
	)
	if err != nil {
		fmt.Printf("cannot mount: %s", err)
		return
	}
	available, err := memory.Read()
	fmt.Print(available.Bytes, " ", available.Of, " ", err)
}

// The limit of a container is read from the files of both versions of control groups, as kernels and container engines lay
// them out.
func TestReadOfControlGroups(t *testing.T) {
	t.Parallel()
	const second, first = "30 23 0:26 %[2]s %[1]s/fs rw,nosuid - cgroup2 cgroup2 rw\n", "31 23 0:27 %[2]s %[1]s/fs rw,nosuid - cgroup cgroup rw,memory\n"
	machine, err := memory.Read()
	require.NoError(t, err)
	tests := map[string]struct {
		mountinfo, root, cgroup string
		files                   map[string]string
		want                    string
	}{
		"version 2, a namespace of its own": {second, "/", "0::/\n", map[string]string{"memory.max": "268435456\n"}, "268435456 container <nil>"},
		"version 2, that of the machine":    {second, "/", "0::/system.slice/savedq.service\n", map[string]string{"system.slice/savedq.service/memory.max": "134217728\n", "system.slice/memory.max": "max\n"}, "134217728 container <nil>"},
		"version 2, a group above":          {second, "/", "0::/pods/one\n", map[string]string{"pods/one/memory.max": "max\n", "pods/memory.max": "134217728\n"}, "134217728 container <nil>"},
		"version 2, part of the tree":       {second, "/pods/one", "0::/pods/one\n", map[string]string{"memory.max": "134217728\n"}, "134217728 container <nil>"},
		"version 2, no limit":               {second, "/", "0::/\n", map[string]string{"memory.max": "max\n"}, "machine"},
		"version 2, no memory controller":   {second, "/", "0::/\n", nil, "machine"},
		"version 1": {first, "/", "5:memory:/docker/one\n4:cpu:/docker/one\n", map[string]string{
			"docker/one/memory.limit_in_bytes": "268435456\n", "docker/one/memory.stat": "cache 0\nhierarchical_memory_limit 268435456\n",
		}, "268435456 container <nil>"},
		"version 1, a group above": {first, "/", "5:memory:/pods/one\n", map[string]string{
			"pods/one/memory.limit_in_bytes": "9223372036854771712\n", "pods/one/memory.stat": "cache 0\nhierarchical_memory_limit 134217728\n",
		}, "134217728 container <nil>"},
		"version 1, no limit": {first, "/", "5:memory:/\n", map[string]string{
			"memory.limit_in_bytes": "9223372036854771712\n", "memory.stat": "cache 0\nhierarchical_memory_limit 9223372036854771712\n",
		}, "machine"},
		"both, the memory with version 1": {second + "31 23 0:27 / %[1]s/old rw - cgroup cgroup rw,memory\n", "/", "5:memory:/\n0::/\n", map[string]string{
			"../old/memory.limit_in_bytes": "134217728\n", "../old/memory.stat": "cache 0\nhierarchical_memory_limit 134217728\n",
		}, "134217728 container <nil>"},
		"no control groups": {"30 23 0:26 %[2]s %[1]s/fs rw - tmpfs tmpfs rw\n", "/", "\n", nil, "machine"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			directory := t.TempDir()
			require.NoError(t, os.Mkdir(filepath.Join(directory, "fs"), 0o700))
			write := func(name, content string) {
				path := filepath.Join(directory, name)
				require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o700))
				require.NoError(t, os.WriteFile(path, []byte(content), 0o600))
			}
			write("mountinfo", fmt.Sprintf(test.mountinfo, directory, test.root))
			write("cgroup", test.cgroup)
			for name, content := range test.files {
				write(filepath.Join("fs", name), content)
			}
			command := exec.CommandContext(t.Context(), os.Args[0])
			command.Env = append(os.Environ(), reading+"="+directory)
			command.SysProcAttr = &syscall.SysProcAttr{Cloneflags: syscall.CLONE_NEWNS}
			output, err := command.CombinedOutput()
			if errors.Is(err, syscall.EPERM) || string(output) == "cannot mount: "+syscall.EPERM.Error() {
				t.Skipf("only root may replace files of the kernel: %v", err)
			}
			require.NoError(t, err, string(output))
			want := test.want
			if want == "machine" {
				want = fmt.Sprint(machineBytes(t, machine), " machine <nil>")
			}
			assert.Equal(t, want, string(output))
		})
	}
}

// machineBytes returns the memory of the machine, of which a container has less.
func machineBytes(t *testing.T, read memory.Available) int64 {
	t.Helper()
	if read.Of == "machine" {
		return read.Bytes
	}
	var info syscall.Sysinfo_t
	require.NoError(t, syscall.Sysinfo(&info))
	return int64(info.Totalram) * int64(info.Unit)
}

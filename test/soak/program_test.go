package soak

import (
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

// binaryVariable names the program that the tests start: another build, to compare two of them, or one of this source.
const binaryVariable = "SOAK_BINARY"

func TestMain(m *testing.M) {
	os.Exit(run(m))
}

// run runs the tests with a place for the program, which the first test that needs it builds.
func run(m *testing.M) int {
	if os.Getenv(binaryVariable) != "" {
		return m.Run()
	}
	directory, err := os.MkdirTemp("", "soak")
	if err != nil {
		panic(err)
	}
	defer func() { _ = os.RemoveAll(directory) }()
	if err := os.Setenv(binaryVariable, filepath.Join(directory, "savedq")); err != nil {
		panic(err)
	}
	return m.Run()
}

// program returns the path of the program, and builds it unless another test did.
func program(t *testing.T) string {
	t.Helper()
	binary := os.Getenv(binaryVariable)
	if _, err := os.Stat(binary); !errors.Is(err, fs.ErrNotExist) {
		require.NoError(t, err)
		return binary
	}
	built := filepath.Join(t.TempDir(), "savedq")
	output, err := exec.CommandContext(t.Context(), "go", "build", "-o", built, "savedq").CombinedOutput()
	require.NoError(t, err, "%s", output)
	// Tests that build at the same time replace each other's program with the same one.
	require.NoError(t, os.Rename(built, binary))
	return binary
}

package main

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// serveVariable, when set, makes this program a server instead of a test.
const serveVariable = "SAVEDQ_SERVE_CHDB"

// testPassword is the password of the user default of a server of a test.
const testPassword = "it's a \"secret\""

// TestMain runs the tests, or a server for one of them. A process has one database.
func TestMain(m *testing.M) {
	if os.Getenv(serveVariable) == "" {
		os.Exit(m.Run())
	}
	if err := serveTest(os.Stdin, os.Stdout); err != nil {
		_, _ = fmt.Fprintln(os.Stderr, "chdbtest:", err)
		os.Exit(1)
	}
}

// serveTest runs a server, says where it is, and ends when its input does.
func serveTest(until io.Reader, where io.Writer) error {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	if _, err := fmt.Fprintln(where, listener.Addr()); err != nil {
		return err
	}
	ctx, stop := context.WithCancel(context.Background())
	go func() {
		_, _ = io.Copy(io.Discard, until)
		stop()
	}()
	return serve(ctx, listener, "", "default", testPassword)
}

// startServer starts a server that ends with the test, and returns its address.
func startServer(tb testing.TB) string {
	tb.Helper()
	_, err := libraryPath()
	require.NoError(tb, err)
	process := exec.Command(os.Args[0])
	process.Env = append(os.Environ(), serveVariable+"=1")
	process.Stderr = os.Stderr
	stdin, err := process.StdinPipe()
	require.NoError(tb, err)
	stdout, err := process.StdoutPipe()
	require.NoError(tb, err)
	require.NoError(tb, process.Start())
	tb.Cleanup(func() {
		assert.NoError(tb, stdin.Close())
		assert.NoError(tb, process.Wait())
	})
	line, err := bufio.NewReader(stdout).ReadString('\n')
	require.NoError(tb, err)
	return strings.TrimSpace(line)
}

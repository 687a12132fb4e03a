package main

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net"
	"net/url"
	"os"
	"os/exec"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// serveVariable, when set, makes this program a server instead of a test: it has the address, and the directory of the
// database, behind a space.
const serveVariable = "SAVEDQ_SERVE_CHDB"

// testPassword is the password of the user default of a server of a test.
const testPassword = "it's a \"secret\""

// TestMain runs the tests, or a server for one of them. A process has one database.
func TestMain(m *testing.M) {
	if os.Getenv(serveVariable) == "" {
		os.Exit(m.Run())
	}
	if err := serveTest(os.Getenv(serveVariable), os.Stdin, os.Stdout); err != nil {
		_, _ = fmt.Fprintln(os.Stderr, "chdbtest:", err)
		os.Exit(1)
	}
}

// serveTest runs a server, says where it is, and ends when its input does.
func serveTest(as string, until io.Reader, where io.Writer) error {
	address, directory, _ := strings.Cut(as, " ")
	listener, err := net.Listen("tcp", address)
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
	return serve(ctx, listener, directory, "default", testPassword)
}

// serverVariable has the URL of a server to test on, such as http://user:password@host:8123, instead of the library.
const serverVariable = "SAVEDQ_CLICKHOUSE"

// testServer is a server with a database for one test.
type testServer struct{ address, user, password, database string }

// databases counts the databases of tests.
var databases atomic.Int64 //nolint:gochecknoglobals // Tests of one process share a server.

// startServer returns a server with a database that ends with the test: on ClickHouse as a library, or on the server that
// serverVariable names.
func startServer(tb testing.TB) *testServer {
	tb.Helper()
	started := startLibrary(tb)
	started.database = fmt.Sprintf("savedq_test_%d_%d", os.Getpid(), databases.Add(1))
	admin := *started
	admin.database = ""
	execute(tb, &admin, "CREATE DATABASE "+started.database)
	tb.Cleanup(func() { execute(tb, &admin, "DROP DATABASE "+started.database) })
	return started
}

// startLibrary starts a process with ClickHouse as a library, which ends with the test, unless serverVariable names a server.
func startLibrary(tb testing.TB) *testServer {
	tb.Helper()
	if written := os.Getenv(serverVariable); written != "" {
		address, err := url.Parse(written)
		require.NoError(tb, err)
		password, _ := address.User.Password()
		return &testServer{address: address.Host, user: address.User.Username(), password: password}
	}
	started, process := startProcess(tb, "127.0.0.1:0", "")
	tb.Cleanup(func() {
		assert.NoError(tb, process.stdin.Close())
		assert.NoError(tb, process.Wait())
	})
	return started
}

// process is a server in a process of its own, which ends when its input does.
type process struct {
	*exec.Cmd

	stdin io.Closer
}

// startProcess starts a server on an address with a database in a directory, or in one that ends with it.
func startProcess(tb testing.TB, address, directory string) (*testServer, *process) {
	tb.Helper()
	_, err := libraryPath()
	require.NoError(tb, err)
	command := exec.Command(os.Args[0])
	command.Env = append(os.Environ(), serveVariable+"="+address+" "+directory)
	command.Stderr = os.Stderr
	stdin, err := command.StdinPipe()
	require.NoError(tb, err)
	stdout, err := command.StdoutPipe()
	require.NoError(tb, err)
	require.NoError(tb, command.Start())
	line, err := bufio.NewReader(stdout).ReadString('\n')
	require.NoError(tb, err)
	return &testServer{address: strings.TrimSpace(line), user: "default", password: testPassword}, &process{command, stdin}
}

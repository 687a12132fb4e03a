package graphqlhttp_test

import (
	"bufio"
	"encoding/json"
	"io"
	"os"
	"os/exec"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"savedq/internal/api/graphqlhttp"
)

// streamClient is a client of npm that runs in a process of its own.
type streamClient struct {
	t     *testing.T
	stdin io.Closer
	lines chan string
}

// startClient starts a client of a protocol: "sse" is graphql-sse, "ws" is graphql-ws.
func startClient(t *testing.T, protocol, server, token, document, variables string) *streamClient {
	t.Helper()
	node, err := exec.LookPath("node")
	if err != nil {
		t.Skip("SKIPPED: node is not installed")
	}
	if _, err := os.Stat("audit/node_modules/graphql-ws"); err != nil {
		t.Skip("SKIPPED: run \"npm ci --ignore-scripts\" in internal/api/graphqlhttp/audit first")
	}
	process := exec.CommandContext(t.Context(), node, "streams.js", protocol, server+"/graphql", token, document, variables)
	process.Dir, process.Stderr = "audit", os.Stderr
	stdin, err := process.StdinPipe()
	require.NoError(t, err)
	stdout, err := process.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, process.Start())
	client := &streamClient{t: t, stdin: stdin, lines: make(chan string, 100)}
	go func() {
		defer close(client.lines)
		for scanner := bufio.NewScanner(stdout); scanner.Scan(); {
			client.lines <- scanner.Text()
		}
	}()
	t.Cleanup(func() {
		_ = stdin.Close()
		_ = process.Process.Kill()
		_ = process.Wait()
	})
	return client
}

// read returns the next line of a client.
func (c *streamClient) read() string {
	c.t.Helper()
	line, ok := <-c.lines
	require.True(c.t, ok, "the client has ended")
	return line
}

// ended is how a client reports the end of a subscription.
type ended struct {
	Errors []graphQLError
	// Code and Reason say why a WebSocket was closed.
	Code     any
	Reason   string
	Status   int
	Complete bool
	Next     *struct{ Errors []graphQLError }
}

func (c *streamClient) readEnd() ended {
	c.t.Helper()
	var end ended
	line := c.read()
	require.NoError(c.t, json.Unmarshal([]byte(line), &end), line)
	return end
}

// errorsOf returns the errors of an ended subscription. graphql-sse gets them as a result,
// graphql-ws as errors.
func (e ended) errorsOf() []graphQLError {
	if e.Next != nil {
		return e.Next.Errors
	}
	return e.Errors
}

const firstMessage = `{"next":{"data":{"logsTail":{"events":[],"dropped":0}}}}`

// The clients graphql-sse and graphql-ws follow the logs.
func TestClientsOfStreams(t *testing.T) {
	t.Parallel()
	for _, protocol := range []string{"sse", "ws"} {
		t.Run(protocol, func(t *testing.T) {
			t.Parallel()
			t.Run("events", func(t *testing.T) {
				t.Parallel()
				server := newStreamServer(t)
				client := startClient(t, protocol, server.URL, tailSecret, tailDocument, "{}")
				assert.Equal(t, firstMessage, client.read())
				server.tail.dropped = 3
				server.send(edgeEvent(), edgeEvent())
				var got struct {
					Next struct {
						Data struct {
							LogsTail struct {
								Events  []json.RawMessage
								Dropped int
							}
						}
					}
				}
				require.NoError(t, json.Unmarshal([]byte(client.read()), &got))
				require.Len(t, got.Next.Data.LogsTail.Events, 2)
				var want, received map[string]any
				require.NoError(t, json.Unmarshal([]byte(edgeEventJSON), &want))
				require.NoError(t, json.Unmarshal(got.Next.Data.LogsTail.Events[0], &received))
				assert.Equal(t, want, received)
				assert.Equal(t, 3, got.Next.Data.LogsTail.Dropped)
				require.NoError(t, client.stdin.Close())
				server.tail.open.waitForZero() // the server notices that the client has ended the subscription
			})
			t.Run("the token is removed", func(t *testing.T) {
				t.Parallel()
				server := newStreamServer(t)
				client := startClient(t, protocol, server.URL, tailSecret, tailDocument, "{}")
				assert.Equal(t, firstMessage, client.read())
				server.revoke()
				errs := client.readEnd().errorsOf()
				require.Len(t, errs, 1)
				assert.Equal(t, "the token is not valid; check that all of it is sent", errs[0].Message)
				assert.Equal(t, "UNAUTHENTICATED", errs[0].Extensions.Code)
			})
			t.Run("the token is limited", func(t *testing.T) {
				t.Parallel()
				server := newStreamServer(t)
				client := startClient(t, protocol, server.URL, tailSecret, tailDocument, "{}")
				assert.Equal(t, firstMessage, client.read())
				server.narrow()
				errs := client.readEnd().errorsOf()
				require.Len(t, errs, 1)
				assert.Equal(t, "the limits of the token have changed; connect again", errs[0].Message)
			})
			t.Run("a wrong token", func(t *testing.T) {
				t.Parallel()
				client := startClient(t, protocol, newStreamServer(t).URL, "wrong", tailDocument, "{}")
				end := client.readEnd()
				if protocol == "sse" {
					assert.Equal(t, 401, end.Status)
					return
				}
				assert.InDelta(t, 4401, end.Code, 0)
				assert.Equal(t, "Unauthorized: the token is not valid; check that all of it is sent", end.Reason)
			})
			t.Run("a project that is not allowed", func(t *testing.T) {
				t.Parallel()
				client := startClient(t, protocol, newStreamServer(t).URL, tailSecret, tailDocument, `{"project":"forbidden"}`)
				errs := client.readEnd().errorsOf()
				require.Len(t, errs, 1)
				assert.Equal(t, "project: the token does not allow this project", errs[0].Message)
				assert.Equal(t, "PERMISSION_DENIED", errs[0].Extensions.Code)
				assert.Equal(t, "project", errs[0].Extensions.Argument)
			})
			t.Run("no store", func(t *testing.T) {
				t.Parallel()
				server := newStreamServer(t, func(config *graphqlhttp.Config) { config.Tail = nil })
				errs := startClient(t, protocol, server.URL, tailSecret, tailDocument, "{}").readEnd().errorsOf()
				require.Len(t, errs, 1)
				assert.Equal(t, "this server receives no events, so there are no logs to follow", errs[0].Message)
				assert.Equal(t, "NOT_FOUND", errs[0].Extensions.Code)
			})
			t.Run("a wrong document", func(t *testing.T) {
				t.Parallel()
				errs := startClient(t, protocol, newStreamServer(t).URL, tailSecret, "subscription { nothing }", "{}").readEnd().errorsOf()
				require.Len(t, errs, 1)
				assert.Equal(t, `Cannot query field "nothing" on type "Subscription".`, errs[0].Message)
				assert.Equal(t, "INVALID_ARGUMENT", errs[0].Extensions.Code)
			})
			t.Run("a document that is too deep", func(t *testing.T) {
				t.Parallel()
				server := newStreamServer(t, func(config *graphqlhttp.Config) { config.Limits.Depth = 2 })
				errs := startClient(t, protocol, server.URL, tailSecret, tailDocument, "{}").readEnd().errorsOf()
				require.Len(t, errs, 1)
				assert.Equal(t, "the operation has 3 levels of fields; at most 2 are allowed", errs[0].Message)
			})
			t.Run("a document that is not trusted", func(t *testing.T) {
				t.Parallel()
				server := newStreamServer(t, func(config *graphqlhttp.Config) { config.Trusted = &graphqlhttp.TrustedDocuments{} })
				errs := startClient(t, protocol, server.URL, tailSecret, tailDocument, "{}").readEnd().errorsOf()
				require.Len(t, errs, 1)
				assert.Equal(t, "PERMISSION_DENIED", errs[0].Extensions.Code)
			})
			t.Run("a wrong variable", func(t *testing.T) {
				t.Parallel()
				errs := startClient(t, protocol, newStreamServer(t).URL, tailSecret, tailDocument, `{"project":1}`).readEnd().errorsOf()
				require.Len(t, errs, 1)
				assert.Equal(t, "variable $project: needs a value of type String", errs[0].Message)
			})
			t.Run("a field that is left out", func(t *testing.T) {
				t.Parallel()
				errs := startClient(t, protocol, newStreamServer(t).URL, tailSecret, "subscription { logsTail @skip(if: true) { dropped } }", "{}").readEnd().errorsOf()
				require.Len(t, errs, 1)
				assert.Equal(t, "a subscription must have exactly one root field, such as logsTail; send one subscription for each", errs[0].Message)
				assert.Equal(t, "INVALID_ARGUMENT", errs[0].Extensions.Code)
			})
			t.Run("one field twice", func(t *testing.T) {
				t.Parallel()
				const document = "subscription { ...a b: logsTail { dropped } } fragment a on Subscription { a: logsTail { dropped } }"
				errs := startClient(t, protocol, newStreamServer(t).URL, tailSecret, document, "{}").readEnd().errorsOf()
				require.Len(t, errs, 1)
				assert.Equal(t, "a subscription must have exactly one root field, such as logsTail; send one subscription for each", errs[0].Message)
			})
			t.Run("a query", func(t *testing.T) {
				t.Parallel()
				client := startClient(t, protocol, newStreamServer(t).URL, tailSecret, "{ endpoint(name: \"logs.all\") { name } }", "{}")
				assert.Equal(t, `{"next":{"data":{"endpoint":{"name":"logs.all"}}}}`, client.read())
				assert.True(t, client.readEnd().Complete)
			})
			t.Run("the server shuts down", func(t *testing.T) {
				t.Parallel()
				server := newStreamServer(t)
				client := startClient(t, protocol, server.URL, tailSecret, tailDocument, "{}")
				assert.Equal(t, firstMessage, client.read())
				server.stop()
				end := client.readEnd()
				assert.False(t, end.Complete, "a client with retries connects again")
				if protocol == "ws" {
					assert.InDelta(t, 1001, end.Code, 0)
				}
			})
		})
	}
}

package cli

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/http"
	"net/url"
	"sync"
	"time"

	"github.com/googleapis/gax-go/v2"

	"savedq/internal/logs/load"
	"savedq/internal/server"
	"savedq/sqlq"
)

// sendFlags configure how "load" sends files to a server.
type sendFlags struct {
	To       string `is:"server" placeholder:"URL" help:"Send the events to this running server, such as http://127.0.0.1:8080, with the token in the variable SAVEDQ_TOKEN, instead of to the store in --data."`
	Parallel int    `default:"4" placeholder:"COUNT" needs:"to" help:"With --to: number of requests at a time, from 1 to 64. Default: ${default}."`
}

const (
	maxParallel = 64
	// sendTimeout limits one request. A server that is busy responds much earlier.
	sendTimeout = time.Minute
	// retryNoteEvery is the least time between two lines about retries.
	retryNoteEvery = 5 * time.Second
)

func (f *sendFlags) validate() error {
	if address, err := url.Parse(f.To); err == nil && address.User != nil {
		return errors.New("--to: the URL must have no user or password; set the variable SAVEDQ_TOKEN to the token")
	}
	if f.Parallel < 1 || f.Parallel > maxParallel {
		return fmt.Errorf("--parallel: %d is not a number from 1 to %d", f.Parallel, maxParallel)
	}
	return nil
}

// send sends the files to a server.
func (c *loadCommand) send(ctx context.Context, t *terminal, files []string, total *load.Total) error {
	tables, err := c.readSources()
	if err != nil {
		return err
	}
	source, found := tables.FindSource(c.Source)
	if !found { // the server may know it
		source = &sqlq.Table{Name: c.Source, Fields: []sqlq.Field{}} // so that the server decides about rows
	}
	transport := http.DefaultTransport.(*http.Transport).Clone() //nolint:forcetypeassert // It is documented.
	transport.MaxIdleConnsPerHost = c.Parallel
	defer transport.CloseIdleConnections()
	server := &load.Server{
		Client: &http.Client{
			Transport:     transport,
			Timeout:       sendTimeout,
			CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
		},
		URL: c.To, Token: t.getenv(server.TokenVariable),
		Wait: gax.Sleep, Random: rand.Float64, Now: t.clock,
		Retrying: (&retryNotes{terminal: t}).print,
	}
	options := load.SendOptions{
		Options: load.Options{Now: t.clock, MaxEventBytes: int(c.MaxEvent), Progress: progressOn(t), Input: t.stdin, CSV: c.csv()},
		Server:  server, Parallel: c.Parallel, Warn: warnOnce(t),
	}
	return eachFile(ctx, t, files, total,
		func(file string) (load.Summary, error) { return load.Send(ctx, file, source, options) },
		func(file string) error {
			if file == load.StandardInput {
				return errors.New("interrupted: a part of the standard input may be stored; events without an id get the same ids if you send all of it again")
			}
			return fmt.Errorf("interrupted: a part of %s may be stored; run the same command again to continue", file)
		})
}

// warnOnce returns a function that prints each warning once, because many files can have the same.
func warnOnce(t *terminal) func(warning string) {
	printed := make(map[string]bool)
	return func(warning string) {
		if !printed[warning] {
			printed[warning] = true
			_, _ = fmt.Fprintf(t.stderr, "savedq: %s\n", warning)
		}
	}
}

// retryNotes prints why requests are repeated, now and then.
type retryNotes struct {
	terminal *terminal

	mutex   sync.Mutex
	printed time.Time
}

func (n *retryNotes) print(reason error, delay time.Duration) {
	n.mutex.Lock()
	defer n.mutex.Unlock()
	now := n.terminal.clock()
	if now.Sub(n.printed) < retryNoteEvery {
		return
	}
	n.printed = now
	_, _ = fmt.Fprintf(n.terminal.stderr, "savedq: %s; retrying in %s\n", reason, delay.Round(100*time.Millisecond))
}

package main

import (
	"context"
	"crypto/rand"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"time"
)

// run is one comparison.
type run struct {
	products [2]product // savedq, then VictoriaLogs
	corpus   *corpus
	bursts   int
	rounds   int
	rate     float64
	yoga     string

	directory string
	running   []*server
	log       io.Writer
	began     time.Time
}

// options are the flags.
type options struct {
	savedq, victoriaLogs, yoga, directory, order, steps string
	events, bursts, rounds                              int
	seed                                                uint64
	rate                                                float64
	timeout                                             time.Duration
}

const (
	stepQueries   = "queries"
	stepDashboard = "dashboard"
	stepSustained = "sustained"
	stepPostgres  = "postgres"
	stepResponses = "responses"
)

func main() {
	runtime.LockOSThread() // the servers get SIGKILL when the thread that started them ends
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := compare(ctx, os.Args[1:], os.Stdout, os.Stderr); err != nil {
		fmt.Fprintln(os.Stderr, "compare:", err)
		stop()
		os.Exit(1) //nolint:gocritic // stop was called
	}
}

func parse(arguments []string, stderr io.Writer) (options, error) {
	var o options
	flags := flag.NewFlagSet("compare", flag.ContinueOnError)
	flags.SetOutput(stderr)
	flags.StringVar(&o.savedq, "savedq", "bin/savedq", "path of savedq")
	flags.StringVar(&o.victoriaLogs, "victoria-logs", "bin/compare/victoria-logs", "path of VictoriaLogs")
	flags.StringVar(&o.yoga, "yoga", "test/compare/yoga/server.js", "path of the server of graphql-yoga")
	flags.StringVar(&o.directory, "dir", "bin/compare", "directory for a temporary one")
	flags.IntVar(&o.events, "events", 600_000, "number of events")
	flags.StringVar(&o.order, "order", "time", "order in which events arrive: time or none")
	flags.Uint64Var(&o.seed, "seed", 1, "seed of the events")
	flags.IntVar(&o.bursts, "bursts", 3, "how often each server gets all events")
	flags.IntVar(&o.rounds, "rounds", 20, "how often each server gets each query")
	flags.Float64Var(&o.rate, "rate", 20_000, "events/s beside dashboards")
	flags.StringVar(&o.steps, "steps", strings.Join([]string{stepQueries, stepDashboard, stepSustained}, ","), "what to measure after the bursts, separated by commas; none measures only them")
	flags.DurationVar(&o.timeout, "timeout", 30*time.Minute, "longest time of the whole run")
	if err := flags.Parse(arguments); err != nil {
		return o, err
	}
	if flags.NArg() > 0 {
		return o, fmt.Errorf("unexpected argument %q", flags.Arg(0))
	}
	if o.order != "time" && o.order != "none" {
		return o, fmt.Errorf("-order is %q; use time or none", o.order)
	}
	if o.steps != "none" {
		for _, step := range o.selected() {
			if !slices.Contains(allSteps(), step) {
				return o, fmt.Errorf("-steps has %q; use %s, or none", step, strings.Join(allSteps(), ", "))
			}
		}
	}
	if o.events < 1000 || o.bursts < 1 || o.rounds < 1 || o.rate <= 0 {
		return o, errors.New("-events must be at least 1000, -bursts and -rounds at least 1, and -rate positive")
	}
	return o, nil
}

func allSteps() []string {
	return []string{stepQueries, stepPostgres, stepResponses, stepDashboard, stepSustained}
}

func (o options) selected() []string { return strings.Split(o.steps, ",") }

// compare measures what the arguments select and prints the table.
func compare(ctx context.Context, arguments []string, stdout, stderr io.Writer) (err error) {
	o, err := parse(arguments, stderr)
	if errors.Is(err, flag.ErrHelp) {
		return nil
	}
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, o.timeout)
	defer cancel()
	directory, err := os.MkdirTemp(o.directory, "run-")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(directory)) }()
	r := &run{
		products: [2]product{savedq{o.savedq, rand.Text()}, victoriaLogs{o.victoriaLogs}},
		bursts:   o.bursts, rounds: o.rounds, rate: o.rate, yoga: o.yoga, directory: directory, log: stderr, began: time.Now(),
	}
	defer r.stopAll()
	var versions []string
	for _, p := range r.products {
		version, err := p.version(ctx)
		if err != nil {
			return err
		}
		versions = append(versions, version)
	}
	others, err := watchOthers()
	if err != nil {
		return err
	}
	r.progress("generating %s events", whole(float64(o.events)))
	r.corpus, err = writeCorpus(ctx, directory, newGenerator(o.seed, o.events, time.Now().Truncate(time.Second)), o.order == "none")
	if err != nil {
		return err
	}
	defer r.corpus.file.Close() //nolint:errcheck // It is only read, and removed.
	comparisons, err := r.measure(ctx, o.selected(), versions[1])
	if err != nil {
		return err
	}
	r.stopAll()
	share, err := others.share()
	if err != nil {
		return err
	}
	r.progress("done")
	if _, err := fmt.Fprintf(stdout, "%s: %s events of %d bytes in %s, %d processors, of which other programs took %.0f %%\n",
		versions[0], whole(float64(o.events)), r.corpus.bytes/int64(o.events),
		map[string]string{"time": "order of time", "none": "no order"}[o.order], runtime.NumCPU(), 100*share); err != nil {
		return err
	}
	for _, c := range comparisons {
		if _, err := fmt.Fprintf(stdout, "\n%s", c.table()); err != nil {
			return err
		}
	}
	return nil
}

// measure runs the selected steps. Queries come before the steps that send more events, so that
// all have the events that were counted.
func (r *run) measure(ctx context.Context, steps []string, victoriaLogs string) ([]comparison, error) {
	servers, results, err := r.load(ctx)
	if err != nil {
		return nil, err
	}
	logs := comparison{other: victoriaLogs, rows: loadRows(results)}
	found := []comparison{}
	add := func(step string, measure func() (comparison, error)) {
		if err != nil || !slices.Contains(steps, step) {
			return
		}
		var c comparison
		if c, err = measure(); c.other == "" {
			logs.rows = append(logs.rows, c.rows...)
		} else {
			found = append(found, c)
		}
	}
	beside := func(measure func(context.Context, [2]*server) ([]row, error)) func() (comparison, error) {
		return func() (comparison, error) {
			rows, err := measure(ctx, servers)
			return comparison{rows: rows}, err
		}
	}
	add(stepQueries, beside(r.measureQueries))
	add(stepPostgres, func() (comparison, error) { return r.measurePostgres(ctx, servers[0], results[0].rest.disk) })
	add(stepResponses, func() (comparison, error) { return r.measureResponses(ctx, servers[0], r.yoga) })
	add(stepDashboard, beside(r.measureDashboards))
	add(stepSustained, beside(func(ctx context.Context, servers [2]*server) ([]row, error) {
		return r.measureSustained(ctx, servers, results[1].rate)
	}))
	return append([]comparison{logs}, found...), err
}

// start starts a server that stopAll stops.
func (r *run) start(ctx context.Context, p product) (*server, error) {
	s, err := start(ctx, p, r.directory)
	if err == nil {
		r.running = append(r.running, s)
	}
	return s, err
}

func (r *run) stop(s *server) {
	s.stop()
	r.running = slices.DeleteFunc(r.running, func(other *server) bool { return other == s })
}

func (r *run) stopAll() {
	for _, s := range r.running {
		s.stop()
	}
	r.running = nil
}

// progress tells what the run does.
func (r *run) progress(format string, arguments ...any) {
	_, _ = fmt.Fprintf(r.log, "%4.0f s: %s\n", time.Since(r.began).Seconds(), fmt.Sprintf(format, arguments...))
}

package server

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"savedq/internal/api/alerthttp"
	"savedq/internal/operations/alert"
	"savedq/sqlq"
	"savedq/sqlq/runner"
	"savedq/sqlq/sqltree"
)

const (
	// previewConcurrency bounds the runs at the same time, so that a preview occupies little of the engine.
	previewConcurrency = 2
	// previewTimeout ends a preview, which then has the newest checks only.
	previewTimeout = 20 * time.Second
)

// previewAlert returns what a declaration would have measured in a time before now: the saved query runs as of moments
// at equal distances, as the caller, behind other callers.
func (s *Server) previewAlert(ctx context.Context, request alerthttp.PreviewRequest) (*alerthttp.Preview, error) {
	if request.Name == "" {
		request.Name = "preview"
	}
	request.Replace = true // the name does not matter
	definition, _, mistakes, err := s.declare(ctx, request.Declared)
	switch {
	case err != nil:
		return nil, err
	case len(mistakes) > 0:
		return &alerthttp.Preview{Mistakes: mistakes, Points: []alerthttp.PreviewPoint{}}, nil
	}
	query, err := s.asOf(ctx, definition.Query)
	if err != nil {
		return nil, err
	}
	condition := &definition.Alert.When
	count, step := request.Points()
	now := s.config.Clock().UTC().Truncate(time.Second)
	preview := &alerthttp.Preview{
		Mistakes: mistakes, Measured: condition.Measured(query.Columns), Threshold: condition.Threshold(), StepSeconds: int(step / time.Second),
	}
	limited, cancel := context.WithTimeout(ctx, previewTimeout)
	defer cancel()
	points := make([]*alerthttp.PreviewPoint, count) // the newest first
	failures := make([]error, count)
	next := make(chan int)
	var workers sync.WaitGroup
	for range previewConcurrency {
		workers.Go(func() {
			for i := range next {
				point, err := s.previewPoint(limited, query, definition.Alert, now.Add(-time.Duration(i)*step))
				switch {
				case limited.Err() != nil:
				case err != nil:
					failures[i] = err
					cancel()
				default:
					points[i] = point
				}
			}
		})
	}
	for i := range count {
		if limited.Err() != nil {
			break
		}
		select {
		case next <- i:
		case <-limited.Done():
		}
	}
	close(next)
	workers.Wait()
	if err := errors.Join(ctx.Err(), firstOf(failures)); err != nil {
		return nil, err
	}
	preview.Points = make([]alerthttp.PreviewPoint, 0, count)
	for _, point := range slices.Backward(points) {
		if point != nil {
			preview.Points = append(preview.Points, *point)
		}
	}
	preview.Partial = len(preview.Points) < count
	return preview, nil
}

// previewPoint runs the check of a moment, and of the moments before it until one does not meet the condition or
// they are as many as the alert needs.
func (s *Server) previewPoint(ctx context.Context, query *sqlq.SavedQuery, declared *sqlq.Alert, at time.Time) (*alerthttp.PreviewPoint, error) {
	check := func(at time.Time) (alert.Point, error) {
		response, err := s.current.Load().scoped.Run(ctx, runner.Request{Query: query, Params: declared.Params, At: at, Background: true})
		if err != nil {
			return alert.Point{}, err
		}
		return alert.Point{At: at, Value: declared.When.Measure(response.Result), Outcome: declared.When.Check(response.Result, response.AsOf)}, nil
	}
	point, err := check(at)
	if err != nil {
		return nil, err
	}
	firing := point.Outcome == sqlq.Met
	for i := 1; firing && i < declared.For; i++ {
		before, err := check(at.Add(-time.Duration(i) * declared.Every))
		if err != nil {
			return nil, err
		}
		firing = before.Outcome == sqlq.Met
	}
	return &alerthttp.PreviewPoint{Point: point, Firing: firing}, nil
}

func firstOf(failures []error) error {
	for _, err := range failures {
		if err != nil {
			return err
		}
	}
	return nil
}

// asOf returns a saved query that reads only events up to its parameter now, in the SQL of the embedded engine.
func (s *Server) asOf(ctx context.Context, query *sqlq.SavedQuery) (*sqlq.SavedQuery, error) {
	if s.engine.Store == nil || query.Engine != sqltree.Language {
		return nil, sqlq.Errorf(sqlq.InvalidArgument, "a preview needs the embedded store; this server runs %s on another engine", query.Name)
	}
	tree, err := sqltree.Parse(ctx, s.engine.Store.DB(), query.SQL)
	if err != nil {
		return nil, fmt.Errorf("preview %s: %w", query.Name, err)
	}
	tables := sqltree.Tables(tree)
	offset := func(table sqltree.Node) int { at, _ := table.Offset(); return at }
	slices.SortFunc(tables, func(a, b sqltree.Node) int { return offset(b) - offset(a) }) // the last first
	text, bounded := query.SQL, false
	for _, table := range tables {
		name, start := table.Text("table_name"), offset(table)
		declared, known := query.Tables.Find(name)
		if known && declared.Files != nil {
			continue // files are as they are now
		}
		written, isWritten := writtenAs(text[min(start, len(text)):], name)
		if !known || !isWritten || table.Text("schema_name") != "" {
			return nil, sqlq.Errorf(sqlq.InvalidArgument, "%s has no preview, because its SQL reads %s in a way that cannot be limited to a time", query.Name, sqlq.Quote(name))
		}
		limited := "(SELECT * FROM " + written + ` WHERE "timestamp" <= $now::TIMESTAMP)`
		if table.Text("alias") == "" {
			limited += " AS " + written
		}
		text, bounded = text[:start]+limited+text[start+len(written):], true
	}
	if !bounded {
		return nil, sqlq.Errorf(sqlq.InvalidArgument, "%s has no preview, because it reads no events", query.Name)
	}
	derived := *query
	derived.SQL, derived.Translation, derived.Cache, derived.Warm, derived.Alerts = text, nil, 0, 0, nil
	return &derived, nil
}

// writtenAs returns the name of a table as a text begins with it, and reports whether it does.
func writtenAs(text, name string) (written string, ok bool) {
	for _, form := range []string{name, `"` + name + `"`} {
		if len(text) >= len(form) && strings.EqualFold(text[:len(form)], form) {
			return text[:len(form)], true
		}
	}
	return "", false
}

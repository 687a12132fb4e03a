package server

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"strings"

	"savedq/internal/api/alerthttp"
	"savedq/internal/authoring/alertfile"
	"savedq/internal/authoring/scaffold"
	"savedq/internal/operations/alert"
	"savedq/sqlq"
)

// queryFile is the file that declares the alerts of a saved query.
const queryFile = "query.yaml"

// checkAlert returns the mistakes of a declaration, and how query.yaml declares it.
func (s *Server) checkAlert(ctx context.Context, request alerthttp.Declared) (alerthttp.Checked, error) {
	_, declared, mistakes, err := s.declare(ctx, request)
	if err != nil {
		return alerthttp.Checked{}, err
	}
	return alerthttp.Checked{Mistakes: mistakes, YAML: declared.YAML()}, nil
}

// declare returns the alert that a request declares of a saved query that the token may run, or its mistakes.
func (s *Server) declare(ctx context.Context, request alerthttp.Declared) (*alert.Definition, *alertfile.Declaration, []alertfile.Mistake, error) {
	current := s.current.Load()
	query, err := current.scoped.Find(ctx, request.Query)
	if err != nil {
		return nil, nil, nil, err
	}
	declared := &alertfile.Declaration{
		Name: request.Name, Title: strings.TrimSpace(request.Title), Every: request.Every, Params: request.Params, Condition: request.Condition,
		IsArray: func(param string) bool { found := query.Param(param); return found != nil && found.Type.IsArray() },
		For:     request.For, Notify: request.Notify, Rows: request.Rows,
	}
	checked, mistakes := declared.Check(query)
	if checked == nil {
		return nil, declared, mistakes, nil
	}
	with := *query
	with.Alerts = []sqlq.Alert{*checked}
	for _, unknown := range s.currentTargets().Mistakes([]*sqlq.SavedQuery{&with}) {
		mistakes = append(mistakes, alertfile.Mistake{Field: "notify", Message: unknown.Message})
	}
	if !request.Replace {
		for _, other := range query.Alerts {
			if other.Name == request.Name {
				mistakes = append(mistakes, alertfile.Mistake{Field: "name", Message: fmt.Sprintf("%s has an alert %q already; choose another name", query.Name, request.Name)})
			}
		}
	}
	if len(mistakes) == 0 && !current.scoped.MayRunAlert(ctx, query, checked.Params) {
		return nil, nil, nil, sqlq.Errorf(sqlq.PermissionDenied, "the token may not run %s with these parameters", query.Name)
	}
	return &alert.Definition{Query: query, Alert: &with.Alerts[0]}, declared, mistakes, nil
}

// saveAlert writes a declaration to the query.yaml of its saved query.
func (s *Server) saveAlert(ctx context.Context, request alerthttp.Declared) error {
	definition, declared, mistakes, err := s.declare(ctx, request)
	switch {
	case err != nil:
		return err
	case len(mistakes) > 0:
		return sqlq.ParamErrorf(mistakes[0].Field, "%s", mistakes[0].Message)
	}
	name := definition.Query.Name
	edit := func(data []byte) ([]byte, error) { return alertfile.Add(data, declared) }
	if request.Replace {
		before, err := s.visibleAlert(ctx, alerthttp.Named{Query: name, Name: request.Name})
		if err != nil {
			return err
		}
		edit = func(data []byte) ([]byte, error) {
			return alertfile.Change(data, before.Alert, definition.Alert, declared)
		}
	}
	if err := s.editQuery(ctx, name, edit); err != nil {
		return err
	}
	s.config.Logger.InfoContext(ctx, "an alert was written", slog.String("endpoint", name), slog.String("alert", request.Name))
	return nil
}

// deleteAlert removes an alert from the query.yaml of its saved query.
func (s *Server) deleteAlert(ctx context.Context, request alerthttp.Named) error {
	definition, err := s.visibleAlert(ctx, request)
	if err != nil {
		return err
	}
	name := definition.Query.Name
	if err := s.editQuery(ctx, name, func(data []byte) ([]byte, error) { return alertfile.Remove(data, request.Name) }); err != nil {
		return err
	}
	s.config.Logger.InfoContext(ctx, "an alert was removed", slog.String("endpoint", name), slog.String("alert", request.Name))
	return nil
}

// editQuery changes the query.yaml of a saved query in the first directory, if the saved query can still be used with
// all others.
func (s *Server) editQuery(ctx context.Context, name string, edit func(data []byte) ([]byte, error)) (err error) {
	if !s.writesFolders(ctx) {
		return sqlq.Errorf(sqlq.PermissionDenied, "alerts are written on a developer's own server: start savedq with --dev and --queries, and use a token without limits; or add the lines to query.yaml yourself")
	}
	s.editing.Lock()
	defer s.editing.Unlock()
	directory := s.config.Queries.Directories[0]
	data, err := os.ReadFile(filepath.Join(directory, name, queryFile))
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return sqlq.ParamErrorf("query", "%s has no folder in the first directory of --queries; \"savedq new\" or Explore makes a saved query there", sqlq.Quote(name))
	case err != nil:
		return fmt.Errorf("read the saved query %s: %w", name, err)
	}
	changed, err := edit(data)
	switch {
	case errors.Is(err, alertfile.ErrForm), errors.Is(err, alertfile.ErrNoAlert):
		return sqlq.Errorf(sqlq.InvalidArgument, "%s", err)
	case err != nil:
		return err
	}
	folders, err := scaffold.OpenReplacement(directory, directory)
	if err != nil {
		return fmt.Errorf("write the saved query %s: %w", name, err)
	}
	defer func() { err = errors.Join(err, folders.Close()) }()
	if err := folders.Rewrite(name, queryFile, changed); err != nil {
		return fmt.Errorf("write the saved query %s: %w", name, err)
	}
	if _, err := s.readStaged(folders, name); err != nil {
		return err
	}
	if err := folders.Publish(name); err != nil {
		return fmt.Errorf("write the saved query %s: %w", name, err)
	}
	return nil
}

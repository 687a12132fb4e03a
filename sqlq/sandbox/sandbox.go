// Package sandbox makes saved queries of SQL that callers send (D40).
package sandbox

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	lru "github.com/hashicorp/golang-lru/v2"

	"savedq/sqlq"
	"savedq/sqlq/googlesql"
)

// mostCached is how many texts are cached with what they stand for.
const mostCached = 128

// Sandboxes makes saved queries of SQL that callers send. It is safe for concurrent use.
type Sandboxes struct {
	dialect  sqlq.Dialect
	rowBytes int
	cached   *lru.Cache[text, *sqlq.SavedQuery]
}

// text is the SQL of a caller for a saved query, and the window of its series.
type text struct {
	saved  *sqlq.SavedQuery
	sql    string
	window sqlq.Window
}

// New returns the sandboxes for an engine with a dialect. rowBytes is the most that SQL of a caller makes of a row; 0 means
// the default, [googlesql.MostRowBytes].
func New(dialect sqlq.Dialect, rowBytes int) *Sandboxes {
	cached, _ := lru.New[text, *sqlq.SavedQuery](mostCached) // it fails for a size below one only
	return &Sandboxes{dialect: dialect, rowBytes: cmp.Or(rowBytes, googlesql.MostRowBytes), cached: cached}
}

// Query returns a saved query with the SQL of a caller in place of the final SELECT. Of a series, it has the window that
// the arguments of the saved query select. The error is an INVALID_ARGUMENT [*sqlq.Error] with the place in the caller's
// text, or an internal one.
func (s *Sandboxes) Query(saved *sqlq.SavedQuery, sql string, args []sqlq.Arg) (*sqlq.SavedQuery, error) {
	window, _ := saved.Window(args)
	key := text{saved, sql, window}
	if found, ok := s.cached.Get(key); ok {
		return found, nil
	}
	derived, err := s.derive(saved, sql)
	if err != nil {
		return nil, err
	}
	derived.Series = wholeSeries(saved, window)
	s.cached.Add(key, derived)
	return derived, nil
}

// wholeSeries returns the series of a saved query for SQL of a caller, which reads the rows of one window, but has rows
// of its own; nil if the saved query has none.
func wholeSeries(saved *sqlq.SavedQuery, window sqlq.Window) *sqlq.Series {
	if saved.Series == nil {
		return nil
	}
	series := *saved.Series
	series.Param, series.Windows = -1, map[string]sqlq.Window{"": window}
	series.Obstacles = sqlq.FileErrors{saved.Place.Mistakef("rows of the series cannot be reused: a caller wrote the SELECT")}
	return &series
}

func (s *Sandboxes) derive(saved *sqlq.SavedQuery, callers string) (*sqlq.SavedQuery, error) {
	if !saved.Sandboxed {
		return nil, sqlq.ParamErrorf(sqlq.SQLParam, "%s", sqlq.OwnSQLOnly(sqlq.SQLParam))
	}
	if saved.CallersReadLogs {
		return s.deriveOverLogs(saved, callers)
	}
	sandbox, err := open(s.dialect.Located(saved))
	if err != nil {
		return nil, fmt.Errorf("open the sandbox of %s: %w", saved.Name, err)
	}
	sandboxed, err := sandbox.Query(callers)
	if err != nil {
		return nil, mistakeIn(callers, err)
	}
	derived := *saved
	derived.Callers = &sqlq.CallersSQL{Saved: saved, From: sandboxed.From, MostBytes: s.mostBytes()}
	derived.Columns, derived.SQLFile = sandboxed.Columns, sqlq.SQLParam
	derived.Pages, derived.Warm = nil, 0 // nobody asked for work beyond the one response
	derived.Params = slices.DeleteFunc(slices.Clone(saved.Params), func(param sqlq.Param) bool {
		return !slices.ContainsFunc(sandboxed.Params, func(used string) bool { return used == param.Name })
	})
	var translation *sqlq.Translation
	if s.dialect.RunsGoogleSQL() {
		translation, err = s.dialect.FromGoogleSQL(&derived, sandboxed.SQL)
	} else { // the text is resolved already
		translation, err = sandboxed.Translate(s.rowBytes)
	}
	if err != nil {
		return nil, mistakeIn("", err)
	}
	derived.SQL = translation.SQL
	derived.Translation = &sqlq.Translation{SQL: translation.SQL, TypedSQL: translation.TypedSQL, Written: callers, Language: translation.Language, Origins: through(translation.Origins, sandboxed.Origins)}
	return &derived, nil
}

// mostBytes is the most memory of a run for SQL of a caller.
func (s *Sandboxes) mostBytes() int {
	const rows = 1024 // of the largest that the SQL can make
	return min(rows*s.rowBytes, sqlq.MaxResultBytes)
}

// mistakeIn returns an error with its place in the text of a caller. An empty text has none.
func mistakeIn(callers string, err error) error {
	var mistake *googlesql.Error
	if !errors.As(err, &mistake) {
		return fmt.Errorf("run SQL of a caller: %w", err)
	}
	place := sqlq.Place{}
	if callers != "" {
		place.Line, place.Column = sqlq.LineAndColumn(callers, mistake.Offset)
	}
	return sqlq.CallersMistake(place, mistake.Message)
}

// through returns the origins of SQL in a text that another text was made from, whose origins are before.
func through(origins, before []sqlq.Origin) []sqlq.Origin {
	composed := make([]sqlq.Origin, len(origins))
	for i, origin := range origins {
		composed[i] = sqlq.Origin{At: origin.At, From: sqlq.OriginOf(before, origin.From)}
	}
	return composed
}

// open returns the sandbox of a saved query.
func open(saved *sqlq.SavedQuery) (*googlesql.Sandbox, error) {
	written, _ := saved.Written()
	return googlesql.NewSandbox(written, googlesql.EnvironmentOf(saved))
}

// Check returns an error if a saved query cannot have a sandbox, with the place in query.sql as a [*googlesql.Error].
func Check(saved *sqlq.SavedQuery) error {
	sandbox, err := open(saved)
	if err != nil {
		return err
	}
	project, scoped := "", []string(nil)
	for _, param := range saved.Params {
		switch param.Scope {
		case "":
		case sqlq.ScopeProject:
			project = param.Name
		default:
			scoped = append(scoped, param.Name)
		}
	}
	return sandbox.Check(project, scoped)
}

// Declare returns the SQL of callers as a parameter, for the descriptions of interfaces.
func Declare(saved *sqlq.SavedQuery) *sqlq.Param {
	if saved.CallersReadLogs {
		return declareOverLogs()
	}
	var names []string
	if sandbox, err := open(saved); err == nil { // it was checked when it was read
		names = sandbox.Names()
	}
	return &sqlq.Param{
		Name: sqlq.SQLParam, Type: sqlq.String, MaxLength: googlesql.MostSandboxBytes,
		Description: "A SELECT in GoogleSQL to run in place of the endpoint's own. It reads " + strings.Join(names, ", ") + ".",
	}
}

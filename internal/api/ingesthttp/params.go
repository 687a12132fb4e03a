package ingesthttp

import (
	"net/http"
	"net/url"
	"slices"
	"time"

	"savedq/internal/auth"
	"savedq/internal/logs/logbody"
	"savedq/internal/logs/logevent"
	"savedq/sqlq"
)

// SourceHeader names the source, as the parameters source and source_name do.
const SourceHeader = "X-Source"

// params are the parameters of a request.
type params struct {
	// source is nil if the request names none, but its body may.
	source  *sqlq.Table
	project string
	// index is the index that the path of Elasticsearch's bulk API names, or empty.
	index string
	// members are what the query string says of all entries of Datadog, as pairs of name and text.
	members [][2]string
	// strict reports whether one rejected event rejects the request.
	strict bool
}

// standbyRetry is how long a sender waits that has reached a standby: it keeps its events until it reaches the server that
// writes the store.
const standbyRetry = 10 * time.Second

// params reads the parameters of a request, and checks its method, and its token for the
// source, which the path can also name.
func (s *receiver) params(r *http.Request, sourceOptional bool, inPath ...string) (params, error) {
	if r.Method != http.MethodPost {
		return params{}, sqlq.Errorf(sqlq.MethodNotAllowed, "this path does not support the method %s; use POST", r.Method)
	}
	if s.Follows {
		return params{}, sqlq.Rejectf(sqlq.Unavailable, standbyRetry, "this server is a standby, which only reads the store that another server writes; send log events to that server")
	}
	if s.Committer == nil {
		return params{}, sqlq.Errorf(sqlq.NotFound,
			"this server does not receive log events: its engine is not the embedded store; send them to where that engine reads them from")
	}
	query, err := url.ParseQuery(r.URL.RawQuery)
	if err != nil {
		return params{}, sqlq.Errorf(sqlq.InvalidArgument, "the query string is not valid")
	}
	for _, name := range []string{"project", "strict"} {
		if len(query[name]) > 1 {
			return params{}, sqlq.ParamErrorf(name, "is given %d times; give it once", len(query[name]))
		}
	}
	read := params{project: query.Get("project")}
	if err := logevent.CheckProject(read.project); err != nil {
		return params{}, sqlq.ParamErrorf("project", "%s", err)
	}
	if query.Has("strict") {
		strict := query.Get("strict")
		read.strict = strict == "true"
		if strict != "true" && strict != "false" {
			return params{}, sqlq.ParamErrorf("strict", "%s is not allowed; use true or false", sqlq.Quote(strict))
		}
	}
	names := slices.Concat(query["source"], query["source_name"], r.Header[SourceHeader], inPath)
	if len(names) == 0 && sourceOptional {
		return read, nil
	}
	if read.source, err = s.findSource(names); err != nil {
		return params{}, err
	}
	return read, auth.MayIngest(r.Context(), read.source.Name, s.Logger)
}

// sourceOf returns the source of a request, which its body can name, too. It checks the token for that.
func (s *receiver) sourceOf(r *http.Request, requested *sqlq.Table, body []byte) (*sqlq.Table, error) {
	named := logbody.NamedSource(body)
	if named == "" && requested != nil {
		return requested, nil
	}
	var names []string
	if requested != nil {
		names = append(names, requested.Name)
	}
	if named != "" {
		names = append(names, named)
	}
	source, err := s.findSource(names)
	if err != nil {
		return nil, err
	}
	return source, auth.MayIngest(r.Context(), source.Name, s.Logger)
}

// findSource returns the source that all of the names mean (D22).
func (s *receiver) findSource(names []string) (*sqlq.Table, error) {
	if len(names) == 0 || len(names) == 1 && names[0] == "" {
		return nil, sqlq.ParamErrorf("source",
			"is missing; name a log source in the query string, as in ?source=edge_logs, or in the header %s. The log sources are %s", SourceHeader, s.Tables().SourceList())
	}
	var source *sqlq.Table
	for i, name := range names {
		found, err := s.Tables().Source(name)
		switch {
		case err != nil:
			return nil, sqlq.ParamErrorf("source", "%s", err)
		case i > 0 && found.Name != source.Name:
			return nil, sqlq.ParamErrorf("source", "the request names both %s and %s; name one", source.Name, found.Name)
		}
		source = found
	}
	return source, nil
}

package ingesthttp

import (
	"net/http"
	"net/url"
	"slices"
	"strings"

	"savedq/internal/auth"
	"savedq/internal/logs/logbody"
	"savedq/internal/logs/logevent"
	"savedq/sqlq"
)

const (
	// SourceHeader names the source, as the parameters source and source_name do.
	SourceHeader = "X-Source"
)

// params are the parameters of a request.
type params struct {
	// source is zero if the request names none, but its body may.
	source  logevent.Source
	project string
	// strict reports whether one rejected event rejects the request.
	strict bool
}

// params reads the parameters of a request, and checks its method, and its token for the
// source.
func (s *receiver) params(r *http.Request, sourceOptional bool) (params, error) {
	if r.Method != http.MethodPost {
		return params{}, sqlq.Errorf(sqlq.MethodNotAllowed, "this path does not support the method %s; use POST", r.Method)
	}
	if s.Committer == nil {
		return params{}, notStored()
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
			return params{}, sqlq.ParamErrorf("strict", "%q is not allowed; use true or false", clip(strict))
		}
	}
	names := append(append(query["source"], query["source_name"]...), r.Header[SourceHeader]...)
	if len(names) == 0 && sourceOptional {
		return read, nil
	}
	if read.source, err = findSource(names); err != nil {
		return params{}, err
	}
	return read, auth.MayIngest(r.Context(), read.source.Table, s.Logger)
}

// sourceOf returns the source of a request, which its body can name, too. It checks the token for that.
func (s *receiver) sourceOf(r *http.Request, requested logevent.Source, body []byte) (logevent.Source, error) {
	named := logbody.NamedSource(body)
	if named == "" && requested.Table != "" {
		return requested, nil
	}
	source, err := findSource(slices.DeleteFunc([]string{requested.Table, named}, func(name string) bool { return name == "" }))
	if err != nil {
		return logevent.Source{}, err
	}
	return source, auth.MayIngest(r.Context(), source.Table, s.Logger)
}

// findSource returns the source that all of the names mean (D22).
func findSource(names []string) (logevent.Source, error) {
	if len(names) == 0 || len(names) == 1 && names[0] == "" {
		return logevent.Source{}, sqlq.ParamErrorf("source",
			"is missing; name a log source in the query string, as in ?source=edge_logs, or in the header %s. The log sources are %s", SourceHeader, sourceList())
	}
	var source logevent.Source
	for i, name := range names {
		found, known := logevent.FindSource(name)
		switch {
		case !known:
			return logevent.Source{}, sqlq.ParamErrorf("source", "%q is not a log source; the log sources are %s", clip(name), sourceList())
		case i > 0 && found != source:
			return logevent.Source{}, sqlq.ParamErrorf("source", "the request names both %s and %s; name one", source.Table, found.Table)
		}
		source = found
	}
	return source, nil
}

// sourceList returns the log sources under both names.
func sourceList() string {
	sources := logevent.Sources()
	names := make([]string, len(sources))
	for i, source := range sources {
		names[i] = source.Table + " (" + source.SenderName + ")"
	}
	return strings.Join(names, ", ")
}

// clip shortens a value of a caller for a message.
func clip(value string) string {
	const most = 64
	if len(value) <= most {
		return value
	}
	return strings.ToValidUTF8(value[:most], "") + "…"
}

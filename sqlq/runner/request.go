package runner

import (
	"context"
	"slices"
	"time"

	"savedq/sqlq"
)

// QueryRunner is a [Runner], or wraps one: traces and the scopes of tokens do.
type QueryRunner interface {
	Run(ctx context.Context, request Request) (*Response, error)
}

var _ QueryRunner = (*Runner)(nil)

// Request asks for the rows of a saved query.
type Request struct {
	Query *sqlq.SavedQuery
	// Params are raw parameters, as in a query string.
	Params map[string][]string
	// SQL is the caller's SQL, which runs instead of the final SELECT (D40); empty for none. Params are still
	// parameters of the saved query.
	SQL string
	// Faults are what is wrong with parameters whose values could not be read, by name. They
	// matter only if the saved query declares the parameter (D8).
	Faults map[string]string
	// NoCache asks for rows that are newer than the cached ones. It is honoured once in
	// [cache.NoCacheInterval].
	NoCache bool
	// Emit receives the rows of a saved query with stream in batches, in their order; nil for all others. The
	// response has no rows then. An error ends the run and is its error.
	Emit func(batch *sqlq.Batch) error
	// HeadersOnly asks for the response to a saved query with stream without its rows: nothing is run.
	HeadersOnly bool
	// At is the moment that the run takes for now, to see what it would have returned; the zero time means the current one.
	// Such a run is not cached, and what it reads is not older for it: its SQL must leave later rows out.
	At time.Time
	// Background marks a request of the server itself. It waits behind callers like a refresh, and gets no stale rows.
	Background bool
	// Account pays for the run, if the request starts one. Nil means that nobody does.
	Account Account

	// args are the arguments, if the request was bound before.
	args []sqlq.Arg
}

// job returns what the request asks to run. The error is an [*sqlq.Error].
func (r *Runner) job(request *Request) (job, error) {
	args, err := request.Bind()
	if err == nil {
		now := request.At
		if now.IsZero() {
			now = r.config.Clock()
		}
		err = request.Query.CheckRelative(args, now)
	}
	if err != nil || request.SQL == "" {
		return job{query: request.Query, args: args, at: request.At}, err
	}
	derived, err := r.sandboxes.Query(request.Query, request.SQL, args)
	if err != nil {
		return job{}, sqlq.AsError(err)
	}
	args = slices.DeleteFunc(slices.Clone(args), func(arg sqlq.Arg) bool {
		return !slices.ContainsFunc(derived.Params, func(param sqlq.Param) bool { return param.Name == arg.Name })
	})
	return job{query: derived, args: args}, nil
}

// Bind returns the arguments of the request, as [sqlq.SavedQuery.Bind] does. The error is an
// [*sqlq.Error]. Callers must not change the request after Bind, which binds it once.
func (r *Request) Bind() ([]sqlq.Arg, error) {
	if r.args != nil {
		return r.args, nil
	}
	if len(r.Faults) > 0 {
		for i := range r.Query.Params {
			if fault, faulty := r.Faults[r.Query.Params[i].Name]; faulty {
				return nil, sqlq.ParamErrorf(r.Query.Params[i].Name, "%s", fault)
			}
		}
	}
	params, page, err := r.goOn()
	if err != nil {
		return nil, err
	}
	args, err := r.Query.Bind(params)
	if err != nil {
		return nil, sqlq.AsError(err)
	}
	if page != nil {
		if err := page.check(r.Query, args); err != nil {
			return nil, err
		}
	}
	r.args = args
	return args, nil
}

package runner

import "savedq/sqlq"

// Request asks for the rows of a saved query.
type Request struct {
	Query *sqlq.SavedQuery
	// Params are raw parameters, as in a query string.
	Params map[string][]string
	// Faults are what is wrong with parameters whose values could not be read, by name. They
	// matter only if the saved query declares the parameter (D8).
	Faults map[string]string
	// NoCache asks for rows that are newer than the cached ones. It is honoured once in
	// [cache.NoCacheInterval].
	NoCache bool
	// Account pays for the run, if the request starts one. Nil means that nobody does.
	Account Account

	// args are the arguments, if the request was bound before.
	args []sqlq.Arg
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
	args, err := r.Query.Bind(r.Params)
	if err != nil {
		return nil, sqlq.AsError(err)
	}
	r.args = args
	return args, nil
}

package sqlq

import "slices"

// BlameArguments finds out whether the arguments alone make a statement fail, and which
// of them. probe runs a statement on no data and reports whether a value makes it fail;
// its error means that it cannot tell. Each of neutral holds arguments with which the
// saved query should work; the first that does is what the real ones are compared with.
//
// BlameArguments returns nil unless the arguments are proven to be at fault. A value
// that the saved query itself allows is never the caller's fault. It makes at most two
// probes per argument, one for the statement, and one for each of neutral.
func (s Statement) BlameArguments(neutral [][]Arg, probe func(Statement) (fails bool, err error)) *Error {
	with := func(args []Arg) Statement { return Statement{Query: s.Query, Args: args, Now: s.Now} }
	if fails, err := probe(s); err != nil || !fails {
		return nil
	}
	working := slices.IndexFunc(neutral, func(args []Arg) bool {
		fails, err := probe(with(args))
		return err == nil && !fails
	})
	if working < 0 {
		return nil
	}
	var causes []string
	for i, arg := range s.Args {
		alone := slices.Clone(neutral[working])
		alone[i] = arg
		fails, err := probe(with(alone))
		switch {
		case err != nil:
			return nil
		case fails && len(s.Query.Params[i].Allowed) > 0:
			return nil
		case fails:
			return UnusableArgument(arg.Name)
		}
	}
	for i, arg := range s.Args {
		others := slices.Clone(s.Args)
		others[i] = neutral[working][i]
		fails, err := probe(with(others))
		if err != nil {
			return nil
		}
		if !fails {
			causes = append(causes, arg.Name)
		}
	}
	if len(causes) == 1 {
		return UnusableArgument(causes[0])
	}
	return Errorf(InvalidArgument, "the query cannot work with these values together; the descriptions of its parameters say what they are")
}

// UnusableArgument is the error for a value that passed validation, but that the SQL
// cannot work with.
func UnusableArgument(param string) *Error {
	return ParamErrorf(param, "the query cannot work with this value; the description of the parameter says what it is")
}

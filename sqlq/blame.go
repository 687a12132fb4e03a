package sqlq

import "slices"

// Probe is the outcome of a run of a statement without data.
type Probe int

// A statement without data works, or a value makes it fail, or neither is certain.
const (
	ProbeUndecided Probe = iota
	ProbeWorks
	ProbeFails
)

// BlameArguments finds out whether the arguments alone make a statement fail, and which
// of them. Each of neutral holds arguments with which the saved query should work. The real
// ones are compared with the first that works.
//
// BlameArguments returns nil unless the arguments are proven to be at fault. A value
// that the saved query itself allows is never the caller's fault. It makes at most two
// probes per argument, one for the statement, and one for each of neutral.
func (s Statement) BlameArguments(neutral [][]Arg, probe func(Statement) Probe) *Error {
	try := func(args []Arg) Probe { return probe(Statement{Query: s.Query, Args: args, Now: s.Now}) }
	if try(s.Args) != ProbeFails {
		return nil
	}
	working := slices.IndexFunc(neutral, func(args []Arg) bool { return try(args) == ProbeWorks })
	if working < 0 {
		return nil
	}
	for i, arg := range s.Args {
		alone := slices.Clone(neutral[working])
		alone[i] = arg
		switch result := try(alone); {
		case result == ProbeUndecided, result == ProbeFails && len(s.Query.Params[i].Allowed) > 0:
			return nil
		case result == ProbeFails:
			return UnusableArgument(arg.Name)
		}
	}
	var causes []string
	for i, arg := range s.Args {
		others := slices.Clone(s.Args)
		others[i] = neutral[working][i]
		switch try(others) {
		case ProbeUndecided:
			return nil
		case ProbeWorks:
			causes = append(causes, arg.Name)
		case ProbeFails:
		}
	}
	if len(causes) == 1 {
		return UnusableArgument(causes[0])
	}
	return Errorf(InvalidArgument, "the query cannot use these values together; see the descriptions of its parameters")
}

// UnusableArgument returns the error for a value that passed validation, but that the SQL
// cannot use.
func UnusableArgument(param string) *Error {
	return ParamErrorf(param, "the query cannot use this value; see the description of the parameter")
}

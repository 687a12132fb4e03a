package graphqlrules

import "savedq/sqlq"

// Limits bound the work that a document can cause before a saved query is run. Each is
// the maximum allowed, and must be at least 1. All except Tokens and Selections apply to
// each operation with the fragments that it uses, skipped or not.
type Limits struct {
	// Tokens limits the tokens of the document, including comments. The introspection
	// query of common tools has about 300.
	Tokens int
	// Selections limits the fields and fragment uses of the whole document: of its
	// operations and fragments, counting a fragment at each use. The cost of validation
	// grows with it. The introspection query of common tools has about 600.
	Selections int
	// Depth limits nested fields; root fields are at depth 1. Introspection has a
	// separate limit.
	Depth int
	// RootFields limits the root fields of an operation, each of which may run a saved
	// query.
	RootFields int
	// Aliases limits the fields with an alias.
	Aliases int
	// Complexity limits the sum over all fields: a field that runs a saved query costs 1
	// plus its maximum rows times the fields selected of each row. Every other field
	// costs 1.
	Complexity int
}

// DefaultLimits returns limits that are generous for applications, and far below what
// would slow down the server. The shipped saved queries have at most 1,000 rows each, so
// all columns of all three cost 17,003. The default complexity allows that almost three
// times in one request, but not 20 aliases of a query, which cost 80,000 or more.
func DefaultLimits() Limits {
	return Limits{
		Tokens:     2_000,
		Selections: 1_000,
		Depth:      10,
		RootFields: 10,
		Aliases:    30,
		Complexity: 50_000,
	}
}

// Limits of introspection, whose cost grows with the schema. Common tools follow lists and
// non-null types nine levels deep, and so reach 14 levels under __schema. They need no
// aliases there. Aliases would allow requests for many copies of the whole schema.
const (
	maxIntrospectionDepth   = 20
	maxIntrospectionAliases = 0
	maxSchemas              = 1
)

// maxNameBytes bounds the names of fields and arguments, because validation compares each
// unknown name with all known names, letter by letter.
const maxNameBytes = 256

// checkDocument rejects a document whose fragments contain themselves, or that exceeds the
// limits of a whole document. The error is INVALID_ARGUMENT.
func (l *Limits) checkDocument(sized *documentSize) error {
	if sized.cycle != "" {
		return sqlq.Errorf(sqlq.InvalidArgument, "the fragment %s contains itself", sized.cycle)
	}
	if sized.longestName > maxNameBytes {
		return exceeded("the document has", sized.longestName, "bytes in one name", maxNameBytes)
	}
	if sized.selections > l.Selections {
		return exceeded("the document selects", sized.selections, "fields, counting the fields of a fragment at each use", l.Selections)
	}
	return nil
}

// checkOperation rejects an operation that exceeds the limits.
func (l *Limits) checkOperation(sized size) error {
	for _, limit := range [...]struct {
		noun            string
		actual, allowed int
	}{
		{"root fields", sized.width, l.RootFields},
		{"aliases", sized.aliases, l.Aliases},
		{"levels of fields", sized.depth, l.Depth},
		{"levels of fields under __schema or __type", sized.introspectionDepth, maxIntrospectionDepth},
		{"aliases under __schema or __type", sized.introspectionAliases, maxIntrospectionAliases},
		{"__schema fields", sized.schemas, maxSchemas},
		{"points of complexity (rows times fields)", sized.complexity, l.Complexity},
	} {
		if limit.actual > limit.allowed {
			return exceeded("the operation has", limit.actual, limit.noun, limit.allowed)
		}
	}
	return nil
}

// exceeded returns an error with the count and its limit. Counts end at [sizeCap].
func exceeded(verb string, actual int, noun string, allowed int) error {
	const form = "%s %d %s; at most %d are allowed"
	if actual >= sizeCap {
		return sqlq.Errorf(sqlq.InvalidArgument, "%s more than %d %s; at most %d are allowed", verb, sizeCap, noun, allowed)
	}
	return sqlq.Errorf(sqlq.InvalidArgument, form, verb, actual, noun, allowed)
}

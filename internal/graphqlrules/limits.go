package graphqlrules

import "savedq/sqlq"

// Limits bound the work that a document can cause before a saved query is run. Each
// is the most that is allowed, and at least 1. All but Tokens and Selections hold for
// each operation, with the fragments that it uses, whether skipped or not.
type Limits struct {
	// Tokens is for the tokens of the document, comments included. The introspection
	// query of the usual tools has about 300.
	Tokens int
	// Selections is for the fields and fragment uses of the whole document: those of
	// its operations and fragments, each with the fragments that it uses as often as
	// it uses them. What validation costs grows with it; the introspection query of
	// the usual tools has about 600.
	Selections int
	// Depth is for fields inside of fields, the root fields being at depth 1. What
	// introspection selects has a limit of its own.
	Depth int
	// RootFields is for the fields of an operation itself, each of which may run a
	// saved query.
	RootFields int
	// Aliases is for the fields that have another name in the response.
	Aliases int
	// Complexity is for the sum over all fields: a field that runs a saved query costs
	// its most rows times the fields that are selected of each, and 1; every other
	// field costs 1.
	Complexity int
}

// DefaultLimits are generous to an application, and far from what would keep the
// server busy. The shipped saved queries have at most 1,000 rows each, so all columns
// of all three cost 17,003: the default complexity lets a page ask for them almost
// three times over in one request, but not for those of 20 aliases, which would cost
// 80,000 and more.
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

// Limits of introspection, whose response costs more the larger the schema is. The usual
// tools follow lists and non-null types nine levels deep, and so get to 14 levels
// under __schema; they need no aliases there, which would be a way to ask for the
// whole schema many times over.
const (
	maxIntrospectionDepth   = 20
	maxIntrospectionAliases = 0
	maxSchemas              = 1
)

// maxNameBytes bounds the names of fields and arguments, because validation compares
// each that it does not know with all that it does, letter by letter.
const maxNameBytes = 256

// checkDocument refuses a document whose fragments contain themselves, or that is
// larger than the limits as a whole. The error is INVALID_ARGUMENT.
func (l *Limits) checkDocument(sized *documentSize) error {
	if sized.cycle != "" {
		return sqlq.Errorf(sqlq.InvalidArgument, "the fragment %s contains itself", sized.cycle)
	}
	if sized.longestName > maxNameBytes {
		return exceeded("the document has", sized.longestName, "bytes in one name", maxNameBytes)
	}
	if sized.selections > l.Selections {
		return exceeded("the document selects", sized.selections, "fields, counting those of a fragment each time that it is used", l.Selections)
	}
	return nil
}

// checkOperation refuses an operation that is larger than the limits.
func (l *Limits) checkOperation(sized size) error {
	for _, limit := range [...]struct {
		noun         string
		actual, most int
	}{
		{"root fields", sized.width, l.RootFields},
		{"aliases", sized.aliases, l.Aliases},
		{"levels of fields", sized.depth, l.Depth},
		{"levels of fields under __schema or __type", sized.introspectionDepth, maxIntrospectionDepth},
		{"aliases under __schema or __type", sized.introspectionAliases, maxIntrospectionAliases},
		{"fields __schema", sized.schemas, maxSchemas},
		{"points of complexity (rows times fields)", sized.complexity, l.Complexity},
	} {
		if limit.actual > limit.most {
			return exceeded("the operation has", limit.actual, limit.noun, limit.most)
		}
	}
	return nil
}

// exceeded says which limit is exceeded, and by how much. Counts end at [sizeCap].
func exceeded(verb string, actual int, noun string, most int) error {
	const form = "%s %d %s; at most %d are allowed"
	if actual >= sizeCap {
		return sqlq.Errorf(sqlq.InvalidArgument, "%s more than %d %s; at most %d are allowed", verb, sizeCap, noun, most)
	}
	return sqlq.Errorf(sqlq.InvalidArgument, form, verb, actual, noun, most)
}

package googlesql

// expression is an expression as it is written.
type expression interface {
	offset() place
	resolve(r *resolver, s *scope) value
}

// place is the offset of a node in the text.
type place int

func (p place) offset() place { return p }

type (
	// name is a part of a path.
	name struct {
		place
		text string
	}
	// literal is a constant. Its kind is nullKind for NULL; its text is what is in the quotes.
	literal struct {
		place
		kind kind
		text string
	}
	// param is @name.
	param struct {
		place
		name string
	}
	// pathExpr is a name, or several with dots between them.
	pathExpr struct {
		place
		names []name
	}
	// fieldExpr is the field of an expression that is no path.
	fieldExpr struct {
		place
		of   expression
		name name
	}
	// indexExpr is x[i]. Its kind is OFFSET, ORDINAL, SAFE_OFFSET or SAFE_ORDINAL; empty for a plain
	// index, which counts from 0.
	indexExpr struct {
		place
		of, index expression
		kind      string
	}
	// unaryExpr is an operator (-, +, ~ or NOT) before an expression.
	unaryExpr struct {
		place
		op string
		x  expression
	}
	// binaryExpr is an operator between two expressions.
	binaryExpr struct {
		place
		op          string
		left, right expression
	}
	betweenExpr struct {
		place
		x, low, high expression
	}
	// inExpr has one of the three.
	inExpr struct {
		place
		x      expression
		list   []expression
		query  *query
		unnest expression
	}
	// likeExpr is x LIKE pattern, or with a quantifier (ANY or ALL) and several patterns.
	likeExpr struct {
		place
		not        bool
		x          expression
		quantifier string
		patterns   []expression
	}
	// isExpr is x IS NULL, TRUE, FALSE or UNKNOWN; or x IS DISTINCT FROM y.
	isExpr struct {
		place
		x    expression
		what string
		y    expression
	}
	whenExpr struct{ condition, result expression }
	caseExpr struct {
		place
		operand expression
		whens   []whenExpr
		other   expression
	}
	// castExpr is CAST, SAFE_CAST or x::type.
	castExpr struct {
		place
		safe         bool
		x            expression
		to           typeExpr
		format, zone expression
	}
	extractExpr struct {
		place
		part    part
		x, zone expression
	}
	// intervalExpr is INTERVAL x part, or with two parts and a string.
	intervalExpr struct {
		place
		x         expression
		from, to  part
		isBetween bool
	}
	arrayExpr struct {
		place
		element  *typeExpr
		elements []expression
	}
	arrayQueryExpr struct {
		place
		query *query
	}
	structExpr struct {
		place
		declared *typeExpr
		names    []string
		values   []expression
	}
	// withExpr is WITH(name AS x, …, result).
	withExpr struct {
		place
		names  []name
		values []expression
		result expression
	}
	existsExpr struct {
		place
		query *query
	}
	queryExpr struct {
		place
		query *query
	}
	// callExpr is a call of a function, an aggregate or a window function.
	callExpr struct {
		place
		// name is in upper case, with dots in it, and without SAFE.
		name     string
		safe     bool
		star     bool // COUNT(*)
		distinct bool
		args     []expression
		named    []namedArg
		nulls    string // IGNORE or RESPECT
		where    expression
		having   string // MAX or MIN
		havingBy expression
		order    []orderItem
		limit    expression
		over     *window
	}
	// namedArg is name => x.
	namedArg struct {
		name name
		x    expression
	}
	// part is a date part such as HOUR or WEEK(MONDAY).
	part struct {
		place
		name    string
		weekday string
	}
	// typeExpr is a type as it is written.
	typeExpr struct {
		place
		name   string // upper case
		params []string
		args   []typeExpr // the element of an ARRAY, the fields of a STRUCT
		names  []string   // of the fields
	}
	orderItem struct {
		x         expression
		desc      bool
		nullsSet  bool
		nullsLast bool
	}
	window struct {
		place
		base      string // a named window
		partition []expression
		order     []orderItem
		frame     *frame
	}
	// frame is the part of a window that begins with ROWS or RANGE.
	frame struct {
		unit       string
		start, end frameBound
	}
	// frameBound is UNBOUNDED PRECEDING, n PRECEDING, CURRENT ROW, n FOLLOWING or UNBOUNDED FOLLOWING.
	frameBound struct {
		what string
		n    expression
	}
)

type (
	query struct {
		place
		recursive   bool
		common      []commonTable
		behindWith  int // the offset of what follows the WITH clause
		body        queryBody
		order       []orderItem
		limit, skip expression
	}
	commonTable struct {
		name  name
		query *query
		end   int // the offset behind its bracket
		// isPiped means that it is of a pipe operator, and not of the WITH that a query begins with.
		isPiped bool
	}
	// queryBody is a *selectQuery, a *setQuery, or a *query in brackets.
	queryBody interface{ offset() place }
	setQuery  struct {
		place
		op          string // UNION, INTERSECT or EXCEPT
		all         bool
		byName      *byName // nil if columns correspond by their place
		left, right queryBody
	}
	// byName is BY NAME or CORRESPONDING.
	byName struct {
		// keeps are the columns that only one query has: of neither, the LEFT one, or of both, which is FULL. Without them, it is
		// INNER, or an error if isStrict.
		keeps    string
		isStrict bool
		columns  []name // of ON
	}
	selectQuery struct {
		place
		distinct bool
		asStruct bool
		asValue  bool
		// isTable means that the value of AS VALUE is a row, of which each field is a column.
		isTable bool
		items   []selectItem
		from    fromItem
		where   expression
		group   *groupBy
		having  expression
		qualify expression
		windows []namedWindow
	}
	namedWindow struct {
		name   name
		window *window
	}
	selectItem struct {
		place
		x     expression // of a star what is before it, if anything
		alias string
		star  bool
		// except and replace are written behind a star.
		except []name
		// mayBeNone means that EXCEPT can leave out all columns.
		mayBeNone bool
		replace   []selectItem
		renamed   []renamedColumn
	}
	renamedColumn struct{ from, to name }
	groupBy       struct {
		place
		all  bool
		sets []groupSet
	}
	// groupSet is one expression, or a ROLLUP, a CUBE or GROUPING SETS of lists.
	groupSet struct {
		kind  string // empty for one expression
		lists [][]expression
		sets  []groupSet // in GROUPING SETS
	}
)

type (
	fromItem interface {
		offset() place
		// from returns what the item reads, and the names in it.
		from(r *resolver, outer *scope) (source, []*variable)
	}
	// tableItem is a table, or an array of a table before it (FROM t, t.list).
	tableItem struct {
		place
		names []name
		alias string
		index string // of an array, as in unnestItem
	}
	unnestItem struct {
		place
		x     expression
		alias string
		index string // the alias of WITH OFFSET; empty without it
	}
	queryItem struct {
		place
		query *query
		alias string
	}
	joinItem struct {
		place
		kind        string // CROSS, INNER, LEFT, RIGHT or FULL
		left, right fromItem
		on          expression
		using       []name
	}
	pivotItem struct {
		place
		source fromItem
		aggs   []selectItem
		by     expression
		in     []selectItem
		alias  string
	}
)

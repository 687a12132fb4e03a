package clickhousesql

// Query is a text as it is written.
type Query struct {
	body *setQuery
	// text is what was read.
	text string
}

// setQuery is one or more SELECTs with UNION between them.
type setQuery struct {
	place
	selects []*selectQuery
	// distinct says of each UNION whether it is DISTINCT.
	distinct []bool
}

// selectQuery is a SELECT with its clauses.
type selectQuery struct {
	place
	with     []withItem
	distinct bool
	items    []item
	from     fromItem
	// arrays are the arrays of ARRAY JOIN.
	arrays     []item
	leftArrays bool
	prewhere   expression
	where      expression
	group      []expression
	groupAll   bool
	having     expression
	windows    map[string]*windowExpr
	order      []orderItem
	limitBy    *limitBy
	limit      expression
	offset     expression
	// end is the offset behind it.
	end place
}

// withItem is a common table expression, or an expression with a name.
type withItem struct {
	name  token
	query *setQuery
	x     expression
}

// item is an expression with the name that AS gives it.
type item struct {
	x     expression
	alias token
}

type orderItem struct {
	place
	x          expression
	descending bool
	nullsFirst bool
}

// windowExpr is what stands behind OVER: the name of a window, or a window.
type windowExpr struct {
	place
	name      string
	partition []expression
	order     []orderItem
	frame     *frame
}

// frame are the rows of a partition that a function is computed over.
type frame struct {
	place
	// rows means that bounds count rows. Otherwise rows with the same values in ORDER BY are together.
	rows       bool
	start, end frameBound
}

// frameBound is a number of rows after the current one, or the end of the partition.
type frameBound struct {
	unbounded bool
	// offset is negative for rows before. Of an unbounded one, only its sign counts.
	offset int
}

type limitBy struct {
	place
	limit, offset expression
	by            []expression
}

type fromItem interface{ offset() place }

// tableItem is a table or a common table expression.
type tableItem struct {
	place
	database, name string
	alias          string
}

// called is the name with its database, if the text has that.
func (t *tableItem) called() string {
	if t.database == "" {
		return t.name
	}
	return t.database + "." + t.name
}

type subqueryItem struct {
	place
	query *setQuery
	alias string
}

type joinItem struct {
	place
	left, right fromItem
	// kind is INNER, LEFT, RIGHT, FULL or CROSS.
	kind  string
	on    expression
	using []token
}

type expression interface{ offset() place }

func (p place) offset() place { return p }

type (
	// identifier is a name, perhaps with others before it.
	identifier struct {
		place
		parts []string
	}
	// constant is a literal: a number, a string, NULL, true or false.
	constant struct {
		place
		kind tokenKind
		text string
	}
	parameter struct {
		place
		name, typ string
	}
	// callExpr is a call of a function or an operator, which has the name of its function.
	callExpr struct {
		place
		name     string
		params   []expression
		args     []expression
		distinct bool
		star     bool
		// over is the window of a window function.
		over *windowExpr
	}
	lambda struct {
		place
		names []token
		body  expression
	}
	cast struct {
		place
		x      expression
		typ    string
		typeAt place
	}
	// inExpr is IN with a subquery; a list is a call.
	inExpr struct {
		place
		x     expression
		query *setQuery
		not   bool
	}
	interval struct {
		place
		n    expression
		unit string
	}
	subquery struct {
		place
		query *setQuery
	}
	exists struct {
		place
		query *setQuery
	}
	// star is *, perhaps of a table.
	star struct {
		place
		of     string
		except []token
	}
	// aliased is an expression with a name within others.
	aliased struct {
		place
		x    expression
		name string
	}
)

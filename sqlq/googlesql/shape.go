package googlesql

import "savedq/sqlq"

// shape is what a query does with a value of metadata, in all places where it reads it. It decides how
// the value is read from JSON: as a list, a struct of the fields that are used, a text or a number (D39).
type shape struct {
	// same is the shape that this one was unified with; nil if it is the root of its kind.
	same *shape
	// elem is the shape of the elements, if the value is used as an array. fields has the fields in use.
	elem   *shape
	fields map[string]*shape
	// whole means that all of the value is needed, as JSON.
	whole bool
	// selected means that the value is read, not only fields or elements of it.
	selected bool
	// kinds has a bit for each type that it is used in.
	kinds uint
	// isElement means that the value is in an array. Only then does it have fields, because an object in
	// metadata is stored as an array of one (D14).
	isElement bool
	// usual are the fields that senders usually set in the value, or in its elements.
	usual sqlq.Members
	// grouped means that rows are grouped by the value, in the type of its shape.
	grouped bool
}

func (s *shape) root() *shape {
	for s.same != nil {
		s = s.same
	}
	return s
}

func (s *shape) element() *shape {
	s = s.root()
	if s.elem == nil {
		s.elem = &shape{usual: s.usual, isElement: true}
	}
	return s.elem.root()
}

func (s *shape) field(name string) *shape {
	s = s.root()
	if s.fields == nil {
		s.fields = make(map[string]*shape)
	}
	if s.fields[name] == nil {
		s.fields[name] = &shape{usual: s.usual[name]}
	}
	return s.fields[name].root()
}

// unify makes two shapes one, because values of both are in the same place.
func (s *shape) unify(other *shape) {
	s, other = s.root(), other.root()
	if s == other {
		return
	}
	other.same = s
	s.whole, s.grouped, s.selected = s.whole || other.whole, s.grouped || other.grouped, s.selected || other.selected
	s.isElement = s.isElement || other.isElement
	s.kinds |= other.kinds
	if other.elem != nil {
		s.element().unify(other.elem)
	}
	for name, of := range other.fields {
		s.field(name).unify(of)
	}
}

// isJSON reports whether the value is read as JSON, because no type fits all of its uses.
func (s *shape) isJSON() bool {
	s = s.root()
	uses := 0
	for _, used := range []bool{s.elem != nil, s.fields != nil, !s.isUndecided()} {
		if used {
			uses++
		}
	}
	return s.whole || uses > 1
}

// isUndecided reports whether no use determines the type of a scalar.
func (s *shape) isUndecided() bool {
	return s.root().kinds&^(1<<jsonKind) == 0
}

// isScalar reports whether the value is a text, a number or a boolean.
func (s *shape) isScalar() bool {
	s = s.root()
	return !s.whole && s.elem == nil && s.fields == nil
}

// scalarType is the type that the uses of a scalar give it. One that is used in two ways is a text.
func (s *shape) scalarType() *dataType {
	const numbers = 1<<int64Kind | 1<<numericKind | 1<<float64Kind | 1<<numberKind
	switch kinds := s.root().kinds &^ (1 << jsonKind); {
	case kinds != 0 && kinds&^numbers == 0:
		return scalar(numberKind)
	case kinds == 1<<boolKind:
		return scalar(boolKind)
	}
	return scalar(stringKind)
}

// dynamic is a value of metadata.
type dynamic struct {
	shape *shape
	// parent is the value that this one is in: its field step, or its element at index.
	parent *dynamic
	step   string
	index  value
	// kind is as in [indexExpr].
	kind string
	// base is the value itself if it has no parent, and layout how it is there.
	base   node
	layout layout
	// of is the value that base carries, for carriedLayout.
	of *dynamic
}

// layout is how a value of metadata is where it is read first.
type layout int

const (
	// jsonLayout is JSON, as the store has metadata.
	jsonLayout layout = iota
	// elementLayout is an element of an array that is unnested: it has the structure of its shape, in which scalars are texts.
	elementLayout
	// typedLayout has the structure of its shape, in which scalars have the types that their uses give them.
	typedLayout
	// commonLayout is a scalar in the type that its uses give it, or JSON, which all values of a shape can be.
	commonLayout
	// scalarLayout is a scalar in the type that its uses give it.
	scalarLayout
	// carriedLayout is a column of a subquery, in the layout that its value had there.
	carriedLayout
)

// newDynamic returns a value of metadata.
func newDynamic(d *dynamic, at place) value {
	d.shape = d.shape.root()
	return value{typ: &dataType{kind: dynamicKind, shape: d.shape}, dyn: d, at: at, node: d}
}

// jsonColumn returns a column that holds JSON, as the store has metadata.
func jsonColumn(s *shape, column node, at place) value {
	return newDynamic(&dynamic{shape: s, base: column, layout: jsonLayout}, at)
}

// carried returns a value of metadata that is a column of a subquery now.
func carried(v value, column node) value {
	return newDynamic(&dynamic{shape: v.dyn.shape, base: column, layout: carriedLayout, of: v.dyn}, v.at)
}

// use notes that a value is used in a type.
func (s *shape) use(as *dataType) {
	s = s.root()
	s.kinds |= 1 << as.kind
	s.whole = s.whole || as.kind == jsonKind
}

// useAsJSON notes that values of a type, and those in it, become JSON.
func useAsJSON(t *dataType) {
	switch t.kind { //nolint:exhaustive // The others have no values of metadata.
	case dynamicKind:
		t.shape.use(scalar(jsonKind))
	case arrayKind:
		useAsJSON(t.elem)
	case structKind:
		for _, f := range t.fields {
			useAsJSON(f.typ)
		}
	}
}

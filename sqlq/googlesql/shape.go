package googlesql

import (
	"encoding/json"
	"strings"

	"savedq/sqlq"
)

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

// structure is the shape as json_transform takes it. Scalars are texts, which convert where they are
// used: a value that does not convert is an error there, not NULL.
func (s *shape) structure() any {
	s = s.root()
	switch {
	case s.isJSON():
		return "JSON"
	case s.elem != nil:
		return []any{s.elem.structure()}
	case s.fields != nil:
		fields := make(map[string]any, len(s.fields))
		for name, of := range s.fields {
			fields[name] = of.structure()
		}
		return fields
	case !s.selected && s.isUndecided(): // only the number of elements counts
		return "BOOLEAN"
	}
	return "VARCHAR"
}

// dynamic is how a value of metadata is read.
type dynamic struct {
	shape *shape
	// parent is the value that this one is in: its field step, or its element at index.
	parent *dynamic
	step   string
	index  fragment
	// base is the value itself if it has no parent. isJSON reports whether it is JSON rather than a
	// value of the type of its shape; isConverted whether it has the scalar's type already.
	base        fragment
	isJSON      func() bool
	isConverted func() bool
}

func never() bool  { return false }
func always() bool { return true }

// read returns the value: JSON and a path in it, or a value of the shape's type.
func (d *dynamic) read() (base fragment, path string, isJSON bool) {
	if d.parent == nil {
		return d.base, "", d.isJSON() || d.shape.isJSON()
	}
	base, path, isJSON = d.parent.read()
	switch {
	case isJSON && d.index != nil:
		return text("json_extract(", jsonAt(base, path), ", ", d.index, ")"), "", true
	case isJSON:
		return base, path + "." + quoteName(strings.ReplaceAll(d.step, `"`, ``)), true
	case d.index != nil:
		return text("list_extract(", base, ", ", d.index, " + 1)"), "", d.shape.isJSON()
	}
	return text("struct_extract(", base, ", ", quoteText(d.step), ")"), "", d.shape.isJSON()
}

// jsonAt returns the JSON at a path.
func jsonAt(base fragment, path string) fragment {
	if path == "" {
		return base
	}
	return text("json_extract(", base, ", ", quoteText("$"+path), ")")
}

// asText returns a scalar as text; NULL for a JSON null.
func (d *dynamic) asText() fragment {
	if d.parent == nil && d.isConverted() {
		if d.shape.scalarType().kind == stringKind {
			return d.base
		}
		return text("CAST(", d.base, " AS VARCHAR)")
	}
	base, path, isJSON := d.read()
	if isJSON {
		return text("json_extract_string(", base, ", ", quoteText("$"+path), ")")
	}
	return base
}

// asIs returns the value in the type that its uses give it.
func (d *dynamic) asIs() fragment {
	if d.parent == nil && d.isConverted() {
		return d.base
	}
	if d.shape.isScalar() {
		if typ := d.shape.scalarType(); typ.kind != stringKind {
			return converting{d.asText(), typ.duck(), true}
		}
		return d.asText()
	}
	base, path, isJSON := d.read()
	if isJSON {
		return jsonAt(base, path)
	}
	return base
}

// asList returns an array of metadata as a list of DuckDB.
func (d *dynamic) asList() fragment {
	base, path, isJSON := d.read()
	if !isJSON {
		return base
	}
	structure, err := json.Marshal([]any{d.shape.element().structure()})
	if err != nil {
		panic(err) // it consists of maps and texts
	}
	return text("from_json(", jsonAt(base, path), ", ", quoteText(string(structure)), ")")
}

// length returns how many elements an array has.
func (d *dynamic) length() fragment {
	base, path, isJSON := d.read()
	if isJSON {
		return text("json_array_length(", jsonAt(base, path), ")")
	}
	return text("len(", base, ")")
}

// isNull returns whether the value is NULL, or a JSON null.
func (d *dynamic) isNull() fragment {
	if d.shape.isScalar() {
		return text("(", d.asIs(), " IS NULL)")
	}
	base, path, isJSON := d.read()
	if !isJSON {
		return text("(", base, " IS NULL)")
	}
	return text("(coalesce(json_type(", base, ", ", quoteText("$"+path), "), 'NULL') = 'NULL')")
}

// newDynamic returns a value of metadata.
func newDynamic(d *dynamic, at place) value {
	d.shape = d.shape.root()
	return value{typ: &dataType{kind: dynamicKind, shape: d.shape}, dyn: d, at: at, sql: deferred(d.asIs)}
}

// jsonColumn returns a column that holds JSON, as the store has metadata.
func jsonColumn(s *shape, column fragment, at place) value {
	return newDynamic(&dynamic{shape: s, base: column, isJSON: always, isConverted: never}, at)
}

// carried returns a value of metadata that is a column of a subquery now.
func carried(v value, column fragment) value {
	d := v.dyn
	return newDynamic(&dynamic{
		shape: d.shape, base: column,
		isJSON:      func() bool { _, _, isJSON := d.read(); return isJSON },
		isConverted: func() bool { return d.parent == nil && d.isConverted() || d.shape.isScalar() },
	}, v.at)
}

// converted returns a scalar that has the type of its shape, such as the least of several.
func converted(s *shape, sql fragment, at place) value {
	return newDynamic(&dynamic{shape: s, base: sql, isJSON: never, isConverted: always}, at)
}

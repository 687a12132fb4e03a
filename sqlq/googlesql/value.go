package googlesql

// value is an expression whose names are resolved.
type value struct {
	typ  *dataType
	node node
	at   place
	// constant is the literal, which converts to more types than other values; nil if it is not a constant.
	constant *literal
	// isParam means that it is a parameter, which converts as a literal does.
	isParam bool
	// isAggregate means that an aggregate is in it.
	isAggregate bool
	// isWindow means that a window function is in it.
	isWindow bool
	// isEmptyArray means that it is [], which converts to any array.
	isEmptyArray bool
	// isOpaque means that an aggregate, a window function or a subquery is in it, which no lambda takes.
	isOpaque bool
	// mayBeOpaque means that an ARRAY or EXISTS subquery is in it, which targets can make functions on arrays.
	mayBeOpaque bool
	// dyn is how a value of metadata is read; nil for others.
	dyn *dynamic
	// quantiles is set for the array of APPROX_QUANTILES.
	quantiles *quantiles
	// part is what the value is of a row that a [guard] watches; nil for others.
	part *rowPart
}

// newValue returns a value that is computed of others.
func newValue(typ *dataType, at place, of node, args ...value) value {
	return value{typ: typ, node: of, at: at}.from(args...)
}

// from returns the value as one that is computed from others.
func (v value) from(args ...value) value {
	for _, arg := range args {
		v.isAggregate = v.isAggregate || arg.isAggregate
		v.isWindow = v.isWindow || arg.isWindow
		v.isOpaque = v.isOpaque || arg.isOpaque
		v.mayBeOpaque = v.mayBeOpaque || arg.mayBeOpaque
	}
	return v
}

// opaque returns the value as one that no lambda takes.
func (v value) opaque() value {
	v.isOpaque = true
	return v
}

// field returns a field of a struct, or of an object in metadata.
func (v value) field(n name) value {
	switch v.typ.kind { //nolint:exhaustive // The others have no fields.
	case dynamicKind:
		if !v.typ.shape.root().isElement {
			fail(n.place, "objects in metadata are arrays of one, so %s is a field of an element; UNNEST the array, or write [OFFSET(0)].%[1]s", n.text)
		}
		field := newDynamic(&dynamic{shape: v.typ.shape.field(n.text), parent: v.dyn, step: n.text}, n.place).from(v)
		field.part = v.part.member(n.text)
		return field
	case structKind:
		index := -1
		for i, f := range v.typ.fields {
			if equalFold(f.name, n.text) {
				if index >= 0 {
					fail(n.place, "the field %s is ambiguous: the struct has several", n.text)
				}
				index = i
			}
		}
		if index >= 0 {
			return v.fieldAt(index, n.place)
		}
		fail(n.place, "the struct has no field %s%s", n.text, didYouMean(n.text, fieldNames(v.typ)))
	case jsonKind:
		return newValue(scalar(jsonKind), n.place, &member{of: v, name: n.text}, v)
	case arrayKind:
		fail(n.place, "an array has no field %s; UNNEST the array, or read an element with [OFFSET(0)]", n.text)
	}
	fail(n.place, "a value of type %s has no field %s", v.typ, n.text)
	return value{}
}

// fieldAt returns the field of a struct at an index. Fields can have no name, or the same one.
func (v value) fieldAt(index int, at place) value {
	f := v.typ.fields[index]
	return inside(f.typ, &member{of: v, index: index, name: fieldName(f.name, index)}, at).from(v)
}

// inside returns a value that is in another one, such as the element of an array. A value of metadata
// has the type of its shape there.
func inside(typ *dataType, of node, at place) value {
	if typ.kind == dynamicKind {
		return newDynamic(&dynamic{shape: typ.shape, base: of, layout: typedLayout}, at)
	}
	return value{typ: typ, node: of, at: at}
}

func fieldNames(typ *dataType) []string {
	return each(typ.fields, func(_ int, f field) string { return f.name })
}

// column returns the value as a column of a subquery that has it.
func (v value) column(column *reference) value {
	if v.dyn != nil {
		return carried(v, column)
	}
	return value{typ: v.typ, node: column, at: v.at, quantiles: v.quantiles}
}

// coerce converts a value to a type that it converts to without a cast. It fails if it does not.
func coerce(v value, to *dataType) value {
	converted, ok := convert(v, to)
	if !ok {
		fail(v.at, "a value of type %s is used as %s; convert it with CAST(… AS %s)", v.typ, to, to)
	}
	return converted
}

// coercible reports how far a type is from another one that a value is needed in: 0 if they are equal, and
// -1 if it does not convert.
func coercible(v value, to *dataType) int {
	from := v.typ
	switch {
	case from.equal(to):
		return 0
	case v.isEmptyArray && to.is(arrayKind):
		return 0
	case from.kind == nullKind:
		return 1
	case from.kind == dynamicKind:
		switch {
		case to.is(stringKind):
			return 1
		case to.is(arrayKind, structKind):
			return -1
		}
		return 2
	case from.kind == numberKind && to.is(int64Kind, float64Kind, numericKind):
		return 1
	case from.is(int64Kind) && to.is(float64Kind, numericKind): // FLOAT64 rather than NUMERIC
		if to.is(float64Kind) {
			return 1
		}
		return 2
	case from.kind == numericKind && to.kind == float64Kind: // INT64 to NUMERIC rather than both
		return 3
	case from.isNumeric() && to.isNumeric() && from.kind < to.kind:
		return int(to.kind - from.kind)
	case v.constant != nil && from.is(float64Kind) && to.is(numericKind): // rather than NUMERIC to FLOAT64
		return 0
	case (v.constant != nil || v.isParam) && from.is(stringKind) && to.is(dateKind, datetimeKind, timeKind, timestampKind):
		return 2
	case v.constant != nil && from.is(stringKind) && to.is(bytesKind):
		return 3
	case isEarlier(from, to):
		return 2
	case from.is(arrayKind) && to.is(arrayKind):
		return coercible(value{typ: from.elem}, to.elem)
	case from.is(structKind) && to.is(structKind) && len(from.fields) == len(to.fields):
		most := 0
		for i := range from.fields {
			distance := coercible(value{typ: from.fields[i].typ}, to.fields[i].typ)
			if distance < 0 {
				return -1
			}
			most = max(most, distance)
		}
		return most
	}
	return -1
}

// convert returns a value in another type, if it converts without a cast.
func convert(v value, to *dataType) (value, bool) {
	if coercible(v, to) < 0 {
		return v, false
	}
	if v.typ.equal(to) && v.typ.isNamedAs(to) {
		return v, true
	}
	out := newValue(to, v.at, nil, v)
	switch isText := v.typ.is(stringKind); {
	case v.isEmptyArray:
		out.node = &arrayOfValues{at: v.at, typ: to}
	case v.constant != nil && isText && !to.is(stringKind):
		out.node = newConstant(&literal{v.at, to.kind, v.constant.text})
	case v.constant != nil && v.typ.is(int64Kind) && to.is(float64Kind, numberKind):
		out.node = &constant{float64Kind, v.constant.text}
	case v.constant != nil && v.typ.is(float64Kind) && to.is(numericKind):
		out.node = numericConstant(v.constant.text, v.at, true)
	default:
		markElements(v.typ, to)
		out.node = &conversion{v, to}
	}
	return out, true
}

// markElements notes the types that values of metadata, and those in arrays and structs, get.
func markElements(from, to *dataType) {
	switch {
	case from.kind == dynamicKind && to.kind != dynamicKind:
		from.shape.use(to)
	case from.kind == arrayKind && to.kind == arrayKind:
		markElements(from.elem, to.elem)
	case from.kind == structKind && to.kind == structKind:
		for i := range from.fields {
			markElements(from.fields[i].typ, to.fields[i].typ)
		}
	}
}

// selected notes that the value itself is read.
func (v value) selected() {
	if v.typ.kind == dynamicKind {
		v.typ.shape.root().selected = true
	}
}

// grouped notes that rows are grouped by the value.
func (v value) grouped() {
	if v.typ.kind == dynamicKind {
		v.typ.shape.root().grouped = true
	}
}

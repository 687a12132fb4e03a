package googlesql

import (
	"encoding/json"
	"strings"
)

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

// isJSON reports whether a value of metadata is JSON where it is read, rather than a value of the type of its shape.
func (d *dynamic) isJSON() bool {
	if d.parent != nil {
		return d.parent.isJSON() || d.shape.isJSON()
	}
	if d.shape.isJSON() {
		return true
	}
	switch d.layout { //nolint:exhaustive // The others have the structure of their shapes.
	case jsonLayout:
		return true
	case commonLayout:
		return !d.shape.isScalar()
	case carriedLayout:
		return d.of.isJSON()
	}
	return false
}

// isConverted reports whether a value has the type that its uses give a scalar already.
func (d *dynamic) isConverted(p *printer) bool {
	switch {
	case d.parent != nil:
		return false
	case d.layout == scalarLayout:
		return true
	case d.layout == carriedLayout:
		return d.shape.isScalar() || d.of.parent == nil && d.of.isConverted(p)
	case d.layout == typedLayout || d.layout == commonLayout || p.column(d) != "":
		return d.shape.isScalar()
	}
	return false
}

// start returns the value that a value of metadata without a parent is.
func (d *dynamic) start(p *printer) fragment {
	if column := p.column(d); column != "" {
		return plain(column)
	}
	return d.base
}

// read returns the value: JSON and a path in it, or a value of the shape's type.
func (d *dynamic) read(p *printer) (base fragment, path string, isJSON bool) {
	if d.parent == nil {
		return d.start(p), "", d.isJSON()
	}
	isElement := d.index.node != nil
	base, path, isJSON = d.parent.read(p)
	switch {
	case isJSON && isElement:
		return text("json_extract(", jsonAt(base, path), ", ", d.place(p), ")"), "", true
	case isJSON:
		return base, path + "." + quoteName(strings.ReplaceAll(d.step, `"`, ``)), true
	case isElement:
		return text("list_extract(", base, ", ", d.place(p), " + 1)"), "", d.shape.isJSON()
	}
	return extracting{base, d.step}, "", d.shape.isJSON()
}

// place is the index of an element.
func (d *dynamic) place(p *printer) fragment {
	index := fromZero(d.index, d.kind)
	if isSafe(d.kind) {
		return index
	}
	return inBounds(index, d.parent.length(p))
}

// jsonAt returns the JSON at a path.
func jsonAt(base fragment, path string) fragment {
	if path == "" {
		return base
	}
	return text("json_extract(", base, ", ", quoteText("$"+path), ")")
}

// as returns a value of metadata in a type.
func (d *dynamic) as(p *printer, to *dataType) fragment {
	switch to.kind { //nolint:exhaustive // The others are converted from text.
	case dynamicKind:
		return d.alike(p)
	case jsonKind:
		if d.parent == nil && d.isConverted(p) {
			return text("to_json(", d.start(p), ")")
		}
		return d.inJSON(p)
	case stringKind:
		return d.asText(p)
	case timestampKind:
		return timestampFromText(d.asText(p))
	case numberKind, float64Kind:
		if d.shape.scalarType().kind == numberKind && d.shape.isScalar() {
			return d.asIs(p)
		}
		return converting{d.asText(p), "DOUBLE", true}
	}
	if d.shape.root().grouped {
		return converting{d.asIs(p), to.duck(), false}
	}
	return converting{d.asText(p), to.duck(), true}
}

// inJSON returns the value as JSON.
func (d *dynamic) inJSON(p *printer) fragment {
	base, path, isJSON := d.read(p)
	if isJSON {
		return jsonAt(base, path)
	}
	return text("to_json(", base, ")")
}

// alike returns the value in a form that all values of its shape have: the scalar, or JSON.
func (d *dynamic) alike(p *printer) fragment {
	if d.shape.isScalar() {
		return d.asIs(p)
	}
	return d.inJSON(p)
}

// asText returns a scalar as text; NULL for a JSON null.
func (d *dynamic) asText(p *printer) fragment {
	if d.parent == nil && d.isConverted(p) {
		if d.shape.scalarType().kind == stringKind {
			return d.start(p)
		}
		return text("CAST(", d.start(p), " AS VARCHAR)")
	}
	if typed, ok := p.typedValue(d); ok {
		return typed.text
	}
	base, path, isJSON := d.read(p)
	if isJSON {
		return text("json_extract_string(", base, ", ", quoteText("$"+path), ")")
	}
	return base
}

// asIs returns the value in the type that its uses give it.
func (d *dynamic) asIs(p *printer) fragment {
	if d.parent == nil && d.isConverted(p) {
		return d.start(p)
	}
	if typed, ok := p.typedValue(d); ok && typed.number != nil && d.shape.scalarType().kind == numberKind {
		return typed.number
	}
	if d.shape.isScalar() {
		if typ := d.shape.scalarType(); typ.kind != stringKind {
			return converting{d.asText(p), typ.duck(), true}
		}
		return d.asText(p)
	}
	base, path, isJSON := d.read(p)
	if isJSON {
		return jsonAt(base, path)
	}
	return base
}

// asList returns an array of metadata as a list of DuckDB.
func (d *dynamic) asList(p *printer) fragment {
	base, path, isJSON := d.read(p)
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
func (d *dynamic) length(p *printer) fragment {
	base, path, isJSON := d.read(p)
	if isJSON {
		return text("json_array_length(", jsonAt(base, path), ")")
	}
	return text("len(", base, ")")
}

// isNull returns whether the value is NULL, or a JSON null.
func (d *dynamic) isNull(p *printer) fragment {
	if d.shape.isScalar() {
		return text("(", d.asIs(p), " IS NULL)")
	}
	base, path, isJSON := d.read(p)
	if !isJSON {
		return text("(", base, " IS NULL)")
	}
	return text("(coalesce(json_type(", base, ", ", quoteText("$"+path), "), 'NULL') = 'NULL')")
}

package googlesql

import "slices"

// same reports whether two nodes are the same expression. It tells nothing of queries.
func same(a, b node) bool {
	compared, equal := 0, map[[2]node]bool(nil)
	var compare func(a, b node) bool
	compare = func(a, b node) bool {
		a, b = withoutKey(a), withoutKey(b)
		if !isAlike(a, b) {
			return false
		}
		if compared++; compared > mostRepeated { // see walk
			if equal == nil {
				equal = make(map[[2]node]bool)
			}
			if equal[[2]node{a, b}] {
				return true
			}
			equal[[2]node{a, b}] = true
		}
		return slices.EqualFunc(partsOfNode(a), partsOfNode(b), compare)
	}
	return compare(a, b)
}

func partsOfNode(of node) (parts []node) {
	of.parts(func(part node) { parts = append(parts, part) })
	return parts
}

func withoutKey(n node) node {
	if key, ok := n.(*groupKey); ok {
		return withoutKey(key.of)
	}
	return n
}

// isAlike reports whether two nodes are the same apart from their parts.
func isAlike(a, b node) bool {
	switch a := a.(type) {
	case *reference:
		b, ok := b.(*reference)
		return ok && *a == *b
	case *constant:
		b, ok := b.(*constant)
		return ok && *a == *b
	case *parameter:
		b, ok := b.(*parameter)
		return ok && equalFold(a.name, b.name)
	case *dynamic:
		b, ok := b.(*dynamic)
		return ok && a.step == b.step && a.kind == b.kind && a.layout == b.layout && (a.of == b.of || a.of != nil && b.of != nil)
	case *conversion:
		b, ok := b.(*conversion)
		return ok && a.to.equal(b.to)
	case *cast:
		b, ok := b.(*cast)
		return ok && a.to.equal(b.to) && a.safe == b.safe && (a.format == nil) == (b.format == nil) && (a.format == nil || a.format.text == b.format.text)
	case *member:
		b, ok := b.(*member)
		return ok && a.index == b.index && a.name == b.name
	case *element:
		b, ok := b.(*element)
		return ok && a.kind == b.kind
	case *quantile:
		b, ok := b.(*quantile)
		return ok && a.index == b.index
	case *caseOf:
		b, ok := b.(*caseOf)
		return ok && len(a.conditions) == len(b.conditions)
	case *arrayOfValues:
		b, ok := b.(*arrayOfValues)
		return ok && a.typ.equal(b.typ)
	case *structOfValues:
		b, ok := b.(*structOfValues)
		return ok && len(a.fields) == len(b.fields)
	case *elementsOf:
		_, ok := b.(*elementsOf)
		return ok
	case *orderKeys:
		b, ok := b.(*orderKeys)
		return ok && a.isDistinct == b.isDistinct
	case *call:
		b, ok := b.(*call)
		return ok && a.isAlike(b)
	}
	return false
}

// isAlike reports whether two calls are the same apart from their arguments.
func (c *call) isAlike(other *call) bool {
	isWritten := func(c *call) (distinct bool, nulls, having string) {
		if c.written == nil {
			return false, "", ""
		}
		return c.written.distinct, c.written.nulls, c.written.having
	}
	distinct, nulls, having := isWritten(c)
	otherDistinct, otherNulls, otherHaving := isWritten(other)
	return c.function == other.function && c.safe == other.safe && c.part.name == other.part.name && c.part.weekday == other.part.weekday &&
		len(c.args) == len(other.args) && (c.where.node == nil) == (other.where.node == nil) && distinct == otherDistinct && nulls == otherNulls && having == otherHaving &&
		(c.like == nil || c.like.not == other.like.not && c.like.quantifier == other.like.quantifier) &&
		slices.Equal(sortedTexts(c.named), sortedTexts(other.named))
}

// sortedTexts returns arguments with names, by these.
func sortedTexts(named map[string]*literal) []string {
	return each(keys(named), func(_ int, name string) string { return name + " " + named[name].text })
}

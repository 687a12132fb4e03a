package format

import "savedq/sqlq"

// leaf is a column of a Parquet file: values that are not nested, which can be in structs and lists.
type leaf struct {
	vector *sqlq.Vector
	// definition and repetition have an entry for each value, and for each parent of one that is NULL or empty:
	// how many of the parents that can be absent are there, and in which of the lists around it it is not the first.
	definition, repetition []int16
}

// leafCount returns how many leaves a column has.
func leafCount(column *sqlq.Column) int {
	if column.Type.IsArray() {
		return leafCount(column.Element())
	}
	if column.Type != sqlq.Struct {
		return 1
	}
	count := 0
	for i := range column.Fields {
		count += leafCount(&column.Fields[i])
	}
	return count
}

// leavesOf returns the leaves of a vector, in the order of the file.
func leavesOf(vector *sqlq.Vector) []leaf {
	if len(vector.Children) == 0 { // the short way, since most columns are so
		definition := make([]int16, vector.Len())
		for i, null := range vector.Nulls {
			if !null {
				definition[i] = 1
			}
		}
		return []leaf{{vector, definition, nil}}
	}
	var root entries
	for i := range vector.Len() {
		root.add(0, 0, int32(i))
	}
	return appendLeaves(nil, vector, &root, 0)
}

// entries are what a leaf has entries for, as far as one of its parents decides.
type entries struct {
	definition, repetition []int16
	// at has the index of each value in the vector of the parent; absent, if one around it is NULL or empty.
	at []int32
}

const absent = -1

func (e *entries) add(definition, repetition int16, at int32) {
	e.definition, e.repetition, e.at = append(e.definition, definition), append(e.repetition, repetition), append(e.at, at)
}

// appendLeaves appends the leaves of a vector, which is in as many lists as depth.
func appendLeaves(leaves []leaf, vector *sqlq.Vector, in *entries, depth int16) []leaf {
	var out entries
	for i, at := range in.at {
		definition, repetition := in.definition[i], in.repetition[i]
		switch {
		case at == absent || vector.Nulls[at]:
			out.add(definition, repetition, absent)
		case !vector.Column.Type.IsArray():
			out.add(definition+1, repetition, at)
		case vector.Offsets[at] == vector.Offsets[at+1]:
			out.add(definition+1, repetition, absent)
		default:
			for n := vector.Offsets[at]; n < vector.Offsets[at+1]; n++ {
				out.add(definition+2, repetition, n) // the list, and an element
				repetition = depth + 1
			}
		}
	}
	if len(vector.Children) == 0 {
		return append(leaves, leaf{vector, out.definition, out.repetition})
	}
	if vector.Column.Type.IsArray() {
		depth++
	}
	for i := range vector.Children {
		leaves = appendLeaves(leaves, &vector.Children[i], &out, depth)
	}
	return leaves
}

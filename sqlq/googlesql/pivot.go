package googlesql

// pivot resolves PIVOT.
func (r *resolver) pivot(item *pivotItem, _ *scope) (source, []*variable) {
	fail(int(item.place), "PIVOT is not supported; write SUM(IF(column = value, x, NULL)) for each value")
	return nil, nil
}

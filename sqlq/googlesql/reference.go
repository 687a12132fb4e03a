package googlesql

// A FunctionGroup is a section of the reference of functions.
type FunctionGroup struct {
	Title     string
	Functions []FunctionEntry
}

// A FunctionEntry is a function with one list of parameters.
type FunctionEntry struct{ Name, Params, Result, Note string }

// Functions returns all functions for the reference, in the order of the table.
func Functions() []FunctionGroup {
	var groups []FunctionGroup
	for _, group := range functionGroups() {
		entries := make([]FunctionEntry, len(group.functions))
		for i, f := range group.functions {
			entries[i] = FunctionEntry{f.name, f.params, f.result, f.note}
		}
		groups = append(groups, FunctionGroup{group.title, entries})
	}
	return groups
}

// RefusedFunctions returns functions of GoogleSQL that are refused, each with the reason and what to use instead.
func RefusedFunctions() []FunctionEntry {
	var entries []FunctionEntry
	for _, f := range refusedFunctions() {
		entries = append(entries, FunctionEntry{Name: f.name, Note: f.why})
	}
	return entries
}

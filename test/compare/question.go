package main

import (
	"fmt"
	"maps"
	"time"
)

// kind is what a question asks for.
type kind int

const (
	// search asks for the newest entries, at most limit.
	search kind = iota
	// histogram asks for the number of entries of each hour.
	histogram
	// facets asks for the number of entries with each source, status, method and level.
	facets
)

const limit = 100

// match is how VictoriaLogs looks for a word. For savedq it is always a substring in any case.
// The generated words are in lower case and stand alone, so all find the same events.
type match int

const (
	wordInAnyCase match = iota
	exactWord
	substringInAnyCase
)

// question is a query about entries of a project after from, up to to.
type question struct {
	kind     kind
	project  string
	from, to time.Time
	word     string
	match    match
}

// answer is what a question found: 1 for each id of a search, or a number of entries for each
// hour or facet value.
type answer map[string]int64

func (a answer) sum() int64 {
	var sum int64
	for count := range maps.Values(a) {
		sum += count
	}
	return sum
}

// mismatch returns an error that names what the answers of two servers differ in, or nil.
func mismatch(name string, savedq, victoriaLogs answer) error {
	if maps.Equal(savedq, victoriaLogs) {
		return nil
	}
	for key := range savedq {
		if savedq[key] != victoriaLogs[key] {
			return mismatchAt(name, key, savedq, victoriaLogs)
		}
	}
	for key := range victoriaLogs {
		if _, ok := savedq[key]; !ok {
			return mismatchAt(name, key, savedq, victoriaLogs)
		}
	}
	return nil
}

func mismatchAt(name, key string, savedq, victoriaLogs answer) error {
	return fmt.Errorf("%s: the servers differ, so their times cannot be compared: savedq has %d in %d values, VictoriaLogs %d in %d; %q is %d and %d",
		name, savedq.sum(), len(savedq), victoriaLogs.sum(), len(victoriaLogs), key, savedq[key], victoriaLogs[key])
}

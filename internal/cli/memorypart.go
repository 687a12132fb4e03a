package cli

import (
	"fmt"
	"strings"
)

// memoryPart is a part of the memory that a flag sets.
type memoryPart struct {
	flag string
	size int64
	// least is the smallest size that the flag may have.
	least int64
	// withRoom means that each byte of the part takes another quarter; see goMemory.
	withRoom bool
}

// chosenParts returns the parts that flags set, without those of Go unless withGo.
func (s memorySplit) chosenParts(withGo bool) []memoryPart {
	all := []memoryPart{{flag: "--duckdb-memory", size: s.duckDB, least: minDuckDBMemory}}
	if withGo {
		all = append(all,
			memoryPart{flag: "--cache-bytes", size: s.cache, withRoom: true},
			memoryPart{flag: "--ingest-memory", size: s.ingest, least: minIngestMemory})
	}
	var chosen []memoryPart
	for _, part := range all {
		if part.size > 0 {
			chosen = append(chosen, part)
		}
	}
	return chosen
}

// largest returns the largest chosen part: the first to lower if all do not fit.
func (s memorySplit) largest(withGo bool) memoryPart {
	var largest memoryPart
	for _, part := range s.chosenParts(withGo) {
		if part.size > largest.size {
			largest = part
		}
	}
	return largest
}

// tooMuch returns the error for a part that exceeds what a limit leaves. It returns nil if
// lowering the part alone does not suffice.
func (p memoryPart) tooMuch(excess int64, limit string) error {
	if p.withRoom {
		excess -= excess / 5
	}
	left := p.size - excess
	if p.flag == "" || left < p.least {
		return nil
	}
	return fmt.Errorf("%s: %s is more than the %s that %s leaves for it", p.flag, byteSize(p.size), byteSize(left), limit)
}

// advice returns what to do if the memory is too little, with the flags that are set.
func (s memorySplit) advice() string {
	parts := s.chosenParts(true)
	if len(parts) == 0 {
		return "raise --memory"
	}
	flags := make([]string, 0, len(parts))
	for _, part := range parts {
		flags = append(flags, part.flag)
	}
	return "raise --memory, or lower " + strings.Join(flags, " or ")
}

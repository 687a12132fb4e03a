package cli

import (
	"context"
	"fmt"
	"log/slog"
	"strings"
)

// memoryFlags configure how much memory the whole process may take.
type memoryFlags struct {
	Memory *byteSize `placeholder:"SIZE" help:"Memory of the whole process, which a burst of events can exceed for a short time; it is split between the cache, Go and DuckDB. Default: 80 % of what the machine or the container has, with --demo at most 1 GiB."`
	// mostByDefault limits the default if no part is set either; 0 for no limit.
	mostByDefault int64
}

const (
	// demoMemory limits the default memory of --demo, which usually runs next to other programs.
	demoMemory = 1 << 30
	// minDuckDBMemory is what DuckDB needs to run one saved query.
	minDuckDBMemory = 64 << 20
	// minGoMemory is what Go needs in addition to the cache: the program's own data,
	// requests, and results before they are encoded.
	minGoMemory = 48 << 20
	// maxCacheMemory limits the cache unless --cache-bytes is set.
	maxCacheMemory = 1 << 30
	// minReserve and maxReserve bound the memory for everything that is not accounted for:
	// code, stacks, and what DuckDB allocates beyond its limit.
	minReserve = 64 << 20
	maxReserve = 1 << 30
	// usualGoMemory limits Go's part while it is half of the memory. On a larger machine Go
	// gets a quarter.
	usualGoMemory = 2 << 30
)

// memorySplit is how much memory each part of the process may take, in bytes. A part that
// is not set yet is unchosen.
type memorySplit struct {
	cache int64
	// goLimit limits all of Go's memory, the cache included.
	goLimit int64
	duckDB  int64
	// ingest is the part of Go's memory that --ingest-memory sets, or 0 if the flag is not set.
	ingest int64
}

// unchosen marks a part that split must choose.
const unchosen = -1

// reserved returns the part of the memory that is not split.
func reserved(total int64) int64 { return min(max(total/8, minReserve), maxReserve) }

// goMemory returns what Go needs for a cache. It includes room for evicted entries that the
// garbage collector has not freed yet.
func goMemory(cache int64) int64 { return cache + cache/4 + minGoMemory }

// needsOfGo returns what Go needs for the chosen parts of its memory.
func (s memorySplit) needsOfGo() int64 { return goMemory(max(s.cache, 0)) + s.ingest }

// split chooses the unchosen parts. It returns an error if the chosen ones do not fit.
func (s memorySplit) split(total int64) (memorySplit, error) {
	minGo, minDuckDB := s.goLimit, s.duckDB
	if s.goLimit == unchosen {
		minGo = s.needsOfGo()
	}
	if s.duckDB == unchosen {
		minDuckDB = minDuckDBMemory
	}
	reserve := reserved(total)
	if need := minGo + minDuckDB + reserve; need > total {
		return memorySplit{}, fmt.Errorf("--memory: %s is too little; Go with the cache needs %s, DuckDB %s, and %s stay in reserve, which makes %s: raise --memory%s",
			byteSize(total), byteSize(minGo), byteSize(minDuckDB), byteSize(reserve), byteSize(need), s.orLower())
	}
	if need := s.needsOfGo(); s.goLimit != unchosen && s.goLimit < need {
		return memorySplit{}, fmt.Errorf("the variable GOMEMLIMIT: %s is too little for Go with the cache, which needs %s: raise or unset it%s", byteSize(s.goLimit), byteSize(need), s.orLower())
	}
	room := total - reserve
	if s.goLimit == unchosen {
		s.goLimit = s.chooseGo(total, minGo, room-minDuckDB)
	}
	if s.cache == unchosen {
		s.cache = min(s.goLimit/2, (s.goLimit-minGoMemory-s.ingest)*4/5, maxCacheMemory)
	}
	if s.duckDB == unchosen {
		s.duckDB = room - s.goLimit
	}
	return s, nil
}

// flags returns the flags that set parts.
func (s memorySplit) flags() []string {
	var flags []string
	for _, part := range []struct {
		flag string
		size int64
	}{{"--duckdb-memory", s.duckDB}, {"--cache-bytes", s.cache}, {"--ingest-memory", s.ingest}} {
		if part.size > 0 {
			flags = append(flags, part.flag)
		}
	}
	return flags
}

// orLower ends the advice for too little memory with the flags that set parts.
func (s memorySplit) orLower() string {
	if flags := s.flags(); len(flags) > 0 {
		return ", or lower " + strings.Join(flags, " or ")
	}
	return ""
}

// chooseGo chooses Go's part, between what it needs and what the other parts leave.
func (s memorySplit) chooseGo(total, lowest, highest int64) int64 {
	switch {
	case s.duckDB != unchosen:
		return highest
	case s.cache != unchosen:
		return min(max(total/4, lowest), highest)
	default:
		return min(max(total/4, min(total/2, usualGoMemory), lowest), highest)
	}
}

// memoryBudget is the split memory of the process.
type memoryBudget struct {
	memorySplit
	total int64
	// source names what set the total: the machine, the container or the flag.
	source string
}

// budget splits the memory of the process and sets Go's memory limit.
func (f *memoryFlags) budget(parts memorySplit, term *terminal) (memoryBudget, error) {
	available, err := term.memory()
	if err != nil {
		return memoryBudget{}, err
	}
	budget := memoryBudget{total: available.Bytes / 10 * 8, source: available.Of}
	variable := term.getenv("GOMEMLIMIT")
	if f.mostByDefault > 0 && variable == "" && len(parts.flags()) == 0 {
		budget.total = min(budget.total, f.mostByDefault)
	}
	if f.Memory != nil {
		budget.total, budget.source = int64(*f.Memory), "flag"
		if budget.total > available.Bytes {
			return memoryBudget{}, fmt.Errorf("--memory: %s is more than the %s that the %s has", *f.Memory, byteSize(available.Bytes), available.Of)
		}
	}
	parts.goLimit = unchosen
	if variable != "" && variable != "off" {
		parts.goLimit = term.limitGo(-1) // a negative limit changes nothing and returns the current one
	}
	budget.memorySplit, err = parts.split(budget.total)
	if err == nil && variable == "" {
		term.limitGo(budget.goLimit)
	}
	return budget, err
}

// log logs how the memory is split.
func (b memoryBudget) log(ctx context.Context, logger *slog.Logger) {
	logger.InfoContext(ctx, "memory is split", slog.Int64("memory_bytes", b.total), slog.String("of", b.source),
		slog.Int64("cache_bytes", b.cache), slog.Int64("go_bytes", b.goLimit), slog.Int64("duckdb_bytes", b.duckDB))
}

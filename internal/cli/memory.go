package cli

import (
	"context"
	"fmt"
	"log/slog"
)

// memoryFlags say how much memory the whole process may take.
type memoryFlags struct {
	Memory *byteSize `placeholder:"SIZE" help:"Most memory that the whole process takes; it is split between the cache, Go and DuckDB. Default: 80 % of what the machine or the container has."`
}

const (
	// leastDuckDBMemory is what DuckDB needs to run one saved query.
	leastDuckDBMemory = 64 << 20
	// leastGoMemory is what Go needs beside the cache: the program's own data, requests, and
	// results before they are encoded.
	leastGoMemory = 48 << 20
	// mostCacheMemory bounds the cache unless --cache-bytes says otherwise.
	mostCacheMemory = 1 << 30
	// leastReserve and mostReserve bound the part that is for what nobody counts: code,
	// stacks, and what DuckDB allocates beside its limit.
	leastReserve = 64 << 20
	mostReserve  = 1 << 30
	// usualGoMemory is half of the memory of a machine on which Go gets half of it; on a
	// larger one it gets a quarter.
	usualGoMemory = 2 << 30
)

// memorySplit is how much memory each part of the process may take, in bytes. What is not
// chosen yet is negative.
type memorySplit struct {
	cache int64
	// goLimit is what all of Go may take, the cache included.
	goLimit int64
	duckDB  int64
}

// unchosen is a part that split chooses.
const unchosen = -1

// reserved returns the part of the memory that is not split.
func reserved(total int64) int64 { return min(max(total/8, leastReserve), mostReserve) }

// goMemory returns what Go needs for a cache, whose entries the garbage collector finds
// too late in less.
func goMemory(cache int64) int64 { return cache + cache/4 + leastGoMemory }

// split chooses the parts that are not chosen yet, or returns an error if those that are
// do not fit.
func (s memorySplit) split(total int64) (memorySplit, error) {
	leastGo, leastDuckDB := s.goLimit, s.duckDB
	if s.goLimit == unchosen {
		leastGo = goMemory(max(s.cache, 0))
	}
	if s.duckDB == unchosen {
		leastDuckDB = leastDuckDBMemory
	}
	reserve := reserved(total)
	if need := leastGo + leastDuckDB + reserve; need > total {
		return memorySplit{}, fmt.Errorf("--memory: %s is too little; Go with the cache needs %s, DuckDB %s, and %s stay in reserve, which makes %s: raise --memory, or lower --cache-bytes or --duckdb-memory",
			byteSize(total), byteSize(leastGo), byteSize(leastDuckDB), byteSize(reserve), byteSize(need))
	}
	if need := goMemory(max(s.cache, 0)); s.goLimit != unchosen && s.goLimit < need {
		return memorySplit{}, fmt.Errorf("the variable GOMEMLIMIT: %s is too little for --cache-bytes %s, with which Go needs %s: raise it, unset it, or lower --cache-bytes",
			byteSize(s.goLimit), byteSize(max(s.cache, 0)), byteSize(need))
	}
	room := total - reserve
	if s.goLimit == unchosen {
		s.goLimit = s.chooseGo(total, leastGo, room-leastDuckDB)
	}
	if s.cache == unchosen {
		s.cache = min(s.goLimit/2, (s.goLimit-leastGoMemory)*4/5, mostCacheMemory)
	}
	if s.duckDB == unchosen {
		s.duckDB = room - s.goLimit
	}
	return s, nil
}

// chooseGo chooses Go's part, from the least that it needs to the most that the others
// leave.
func (s memorySplit) chooseGo(total, least, most int64) int64 {
	switch {
	case s.duckDB != unchosen:
		return most
	case s.cache != unchosen:
		return min(max(total/4, least), most)
	default:
		return min(max(total/4, min(total/2, usualGoMemory), least), most)
	}
}

// memoryBudget is the memory of the process, and what has it.
type memoryBudget struct {
	memorySplit
	total int64
	of    string
}

// budget splits the memory of the process, and has Go keep to its part.
func (f *memoryFlags) budget(wanted memorySplit, term *terminal) (memoryBudget, error) {
	available, err := term.memory()
	if err != nil {
		return memoryBudget{}, err
	}
	budget := memoryBudget{total: available.Bytes / 10 * 8, of: available.Of}
	if f.Memory != nil {
		budget.total, budget.of = int64(*f.Memory), "flag"
		if budget.total > available.Bytes {
			return memoryBudget{}, fmt.Errorf("--memory: %s is more than the %s that the %s has", *f.Memory, byteSize(available.Bytes), available.Of)
		}
	}
	given := term.getenv("GOMEMLIMIT")
	wanted.goLimit = unchosen
	if given != "" && given != "off" {
		wanted.goLimit = term.limitGo(-1) // which changes nothing, and returns what Go made of the variable
	}
	budget.memorySplit, err = wanted.split(budget.total)
	if err == nil && given == "" {
		term.limitGo(budget.goLimit)
	}
	return budget, err
}

// log logs how the memory is split.
func (b memoryBudget) log(ctx context.Context, logger *slog.Logger) {
	logger.InfoContext(ctx, "memory is split", slog.Int64("memory_bytes", b.total), slog.String("of", b.of),
		slog.Int64("cache_bytes", b.cache), slog.Int64("go_bytes", b.goLimit), slog.Int64("duckdb_bytes", b.duckDB))
}

// splitMemory splits the memory of the process, of which the cache may get so much, and gives
// DuckDB its part.
func (f *engineFlags) splitMemory(cache *byteSize, term *terminal) (memoryBudget, error) {
	wanted := memorySplit{cache: unchosen, duckDB: unchosen}
	if cache != nil {
		wanted.cache = int64(*cache)
	}
	switch {
	case !f.embedded():
		wanted.duckDB = 0
	case f.DuckDBMemory != nil:
		wanted.duckDB = int64(*f.DuckDBMemory)
	}
	budget, err := f.memoryFlags.budget(wanted, term) //nolint:staticcheck // Without the name it would call itself.
	if err == nil && f.embedded() {
		f.DuckDBMemory = new(byteSize(budget.duckDB))
	}
	return budget, err
}

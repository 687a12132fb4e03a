package logstore

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"slices"
	"time"

	"github.com/duckdb/duckdb-go/v2"

	"savedq/internal/logs/parts"
)

// Parts of the same days and level are merged when there are [limits.mergeParts] of them, so each event is written a few
// times. Once no more events of a day arrive, its parts become one. Days that are small together are merged, too: see
// [ranges]. A part whose events would belong to several ranges is separated.

const (
	// quietAfter is how long after its newest event arrived a day is quiet, and its parts that are alike are merged; see
	// [alike]. After closedAfter, all are. It is less than the time for which the newest events stay in memory, so that the
	// part that they become is merged at once.
	quietAfter  = 20 * time.Second
	closedAfter = time.Hour
	// mostLarger is how many times as large as all others together a part may be to be merged with them. So the few events
	// that arrive late do not have a large part written again and again.
	mostLarger = 4
)

// Merge merges parts where there are many, and when now is given also the parts of days and months that are quiet. It takes a
// step at a time, and calls between after each. It returns the number of steps.
func (s *Store) Merge(ctx context.Context, now time.Time, between func(ctx context.Context) error) (steps int, err error) {
	for {
		merged, err := s.mergeStep(ctx, now)
		if err != nil || !merged {
			return steps, err
		}
		steps++
		if between != nil {
			if err := between(ctx); err != nil {
				return steps, err
			}
		}
	}
}

func (s *Store) mergeStep(ctx context.Context, now time.Time) (merged bool, err error) {
	err = holding(ctx, s.merging, func() error {
		manifest, err := s.settled(ctx)
		if err != nil {
			return err
		}
		mergeable := slices.DeleteFunc(s.attached.intact(manifest.Parts), func(part parts.Part) bool { return s.tooLarge[part.Number] })
		old, into := nextMerge(mergeable, &s.config.limits, now)
		if len(old) == 0 {
			merged, err = s.rewriteHidden(ctx, true) // what a deletion that was interrupted has left
			return err
		}
		merged = true
		return s.rewriteOrLeave(ctx, old, into)
	})
	return merged, err
}

// rewriteOrLeave is rewrite, unless DuckDB's memory does not suffice: then the parts are left; see [Store.leave]. The
// caller holds merging.
func (s *Store) rewriteOrLeave(ctx context.Context, old []parts.Part, into []days) error {
	err := s.rewrite(ctx, old, into)
	if failure := new(duckdb.Error); errors.As(err, &failure) && failure.Type == duckdb.ErrorTypeOutOfMemory {
		s.leave(ctx, old, err)
		return nil
	}
	return err
}

// leave leaves parts as they are until the store is opened again, because DuckDB's memory does not suffice to merge their
// events: it handles 2,048 at a time, and their texts must fit. The caller holds merging.
func (s *Store) leave(ctx context.Context, old []parts.Part, err error) {
	if s.tooLarge == nil {
		s.tooLarge = make(map[uint64]bool)
	}
	for i := range old {
		s.tooLarge[old[i].Number] = true
	}
	s.config.logger.WarnContext(ctx, "parts are not merged, because their events are too large", slog.Int("parts", len(old)), slog.Any("error", err))
}

// nextMerge returns the parts of the next merge, and the ranges of days that each become a part; none means that all
// events become one. It returns no parts if nothing is to be merged.
func nextMerge(all []parts.Part, limits *limits, now time.Time) (old []parts.Part, into []days) {
	buckets := ranges(all, limits.rangeBytes)
	byKind, byDay, byRange := make(map[string][]parts.Part), make(map[days][]parts.Part), make(map[days][]parts.Part)
	var mixed []parts.Part
	for _, part := range all {
		of, kind := daysOf(&part), "mixed"
		within := overlapping(buckets, of)
		switch {
		case of.count() == 1:
			byDay[of] = append(byDay[of], part)
			kind = fmt.Sprint(of)
		case len(within) == 1:
			kind = fmt.Sprint(within[0])
		default:
			mixed = append(mixed, part)
		}
		if len(within) == 1 && within[0].count() > 1 {
			byRange[within[0]] = append(byRange[within[0]], part)
		}
		kind = fmt.Sprintf("%s/%d", kind, part.Level)
		byKind[kind] = append(byKind[kind], part)
	}
	for _, kind := range slices.Sorted(maps.Keys(byKind)) {
		if same := byKind[kind]; len(same) >= limits.mergeParts {
			return same, separated(same, buckets)
		}
	}
	if now.IsZero() {
		return nil, nil
	}
	isQuiet := func(part parts.Part) bool { return newestIn(all, daysOf(&part)).Before(now.Add(-quietAfter)) }
	// One that a range has outgrown stays, so that it is not merged and separated in turn.
	old = alike(mixed)
	if (len(old) > 1 || sizeOf(old) > limits.rangeBytes) && newestOf(old).Before(now.Add(-quietAfter)) {
		return old, separated(old, buckets)
	}
	for _, day := range slices.SortedFunc(maps.Keys(byDay), days.compare) {
		old := byDay[day]
		if !newestIn(all, day).Before(now.Add(-closedAfter)) {
			old = alike(old)
		}
		if len(old) > 1 && isQuiet(old[0]) {
			return old, nil
		}
	}
	for _, of := range slices.SortedFunc(maps.Keys(byRange), days.compare) {
		quiet := slices.DeleteFunc(byRange[of], func(part parts.Part) bool { return !isQuiet(part) })
		if old := alike(quiet); len(old) > 1 {
			return old, nil
		}
	}
	return nil, nil
}

// alike returns the parts without those that are much larger than the smaller ones together. They come in the ascending
// order of their sizes.
func alike(all []parts.Part) []parts.Part {
	sorted := slices.SortedFunc(slices.Values(all), func(a, b parts.Part) int { return cmp.Compare(a.Bytes, b.Bytes) })
	for len(sorted) > 1 {
		smaller, largest := sorted[:len(sorted)-1], sorted[len(sorted)-1]
		if largest.Bytes <= mostLarger*sizeOf(smaller) {
			break
		}
		sorted = smaller
	}
	return sorted
}

// sizeOf returns the size of parts in bytes.
func sizeOf(all []parts.Part) (bytes int64) {
	for i := range all {
		bytes += all[i].Bytes
	}
	return bytes
}

// newestOf returns when the newest event of parts arrived.
func newestOf(all []parts.Part) (newest time.Time) {
	for i := range all {
		if all[i].Accepted.After(newest) {
			newest = all[i].Accepted
		}
	}
	return newest
}

// newestIn returns when the newest event arrived that can be of some days.
func newestIn(all []parts.Part, of days) (newest time.Time) {
	for i := range all {
		if all[i].Accepted.After(newest) && daysOf(&all[i]).overlaps(of) {
			newest = all[i].Accepted
		}
	}
	return newest
}

// rewrite writes the visible events of parts to new ones, and replaces them: with one for each of some ranges of days, or
// with one if there are none. The caller holds merging.
func (s *Store) rewrite(ctx context.Context, old []parts.Part, into []days) error {
	return repeated(func() error { return s.rewriteOnce(ctx, old, into) })
}

func (s *Store) rewriteOnce(ctx context.Context, old []parts.Part, into []days) (err error) {
	if len(into) == 0 {
		into = []days{{}}
	}
	from := writing{level: 1}
	fields := make(map[string]bool)
	for i := range old {
		part := &old[i]
		from.from = append(from.from, branch{place: partCatalog(part.Number), part: part, fields: part.Fields, hidden: part.Hidden})
		from.events += int(part.Events())
		from.level = max(from.level, part.Level+1)
		for _, field := range part.Fields {
			fields[field] = true
		}
	}
	// A field that one of the parts lacks, and has events for, stays missing: it is filled later.
	from.fields = slices.DeleteFunc(slices.Sorted(maps.Keys(fields)), func(field string) bool {
		return slices.ContainsFunc(old, func(part parts.Part) bool { return lacks(&part, field) })
	})
	var added []parts.Part
	defer func() { err = errors.Join(err, s.discard(err, added)) }()
	for _, of := range into {
		from.days = of
		part, err := s.writePart(ctx, from)
		if err != nil {
			return fmt.Errorf("merge %d parts: %w", len(old), err)
		}
		if part != nil {
			added = append(added, *part)
		}
	}
	return s.replaceParts(ctx, old, added)
}

// replaceParts replaces parts by new ones with their events. The caller holds merging, so only what is hidden of them can
// have changed meanwhile; a part of which all is hidden is not in the manifest any more.
func (s *Store) replaceParts(ctx context.Context, old, added []parts.Part) error {
	return s.changeManifest(ctx, func(next *parts.Manifest) error {
		for i := range old {
			hidden := s.removed[old[i].Number]
			if at := slices.IndexFunc(next.Parts, func(part parts.Part) bool { return part.Number == old[i].Number }); at >= 0 {
				hidden = next.Parts[at].Hidden
			}
			for j := range added {
				added[j] = hideSince(added[j], old[i].Hidden, hidden)
			}
		}
		s.removed = nil
		*next = next.With(old, added)
		return nil
	})
}

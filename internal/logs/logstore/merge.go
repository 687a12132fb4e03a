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

// Parts of the same day and level are merged when there are [limits.mergeParts] of them, so each event is written a few
// times and a day has few parts. A part that was written from memory can have events of several days, which merging
// separates. Once no more events of a day arrive, its parts become one, and later those of its month.

const (
	// quietAfter is how long after its newest event arrived a day is quiet, and its parts that are alike are merged; see
	// [alike]. After closedAfter, all are.
	quietAfter  = time.Minute
	closedAfter = time.Hour
	// monthAfter is how long after its end the days of a month become one part, unless they are larger than monthBytes.
	monthAfter = 7 * 24 * time.Hour
	monthBytes = 512 << 20
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
		old, bucket := nextMerge(mergeable, s.config.mergeParts, now)
		if len(old) == 0 {
			merged, err = s.rewriteHidden(ctx, true) // what a deletion that was interrupted has left
			return err
		}
		merged = true
		err = s.rewrite(ctx, old, bucket)
		if failure := new(duckdb.Error); errors.As(err, &failure) && failure.Type == duckdb.ErrorTypeOutOfMemory {
			s.leave(ctx, old, err)
			return nil
		}
		return err
	})
	return merged, err
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

// nextMerge returns the parts of the next merge, and the day or month that they become; empty means that each of their
// days becomes a part. It returns none if nothing is to be merged.
func nextMerge(all []parts.Part, many int, now time.Time) (old []parts.Part, bucket string) {
	byKind, byDay, byMonth := make(map[string][]parts.Part), make(map[string][]parts.Part), make(map[string][]parts.Part)
	for _, part := range all {
		kind := fmt.Sprintf("%s/%d", part.Day, part.Level)
		byKind[kind] = append(byKind[kind], part)
		byDay[part.Day] = append(byDay[part.Day], part)
		if part.Day != "" {
			month := part.Day[:len(monthLayout)]
			byMonth[month] = append(byMonth[month], part)
		}
	}
	for _, kind := range slices.Sorted(maps.Keys(byKind)) {
		if same := byKind[kind]; len(same) >= many {
			return same, same[0].Day
		}
	}
	if now.IsZero() {
		return nil, ""
	}
	if mixed := byDay[""]; len(mixed) > 0 && newestOf(mixed).Before(now.Add(-quietAfter)) {
		return mixed, ""
	}
	delete(byDay, "")
	for _, day := range slices.Sorted(maps.Keys(byDay)) {
		old, newest := byDay[day], newestIn(all, day)
		if !newest.Before(now.Add(-closedAfter)) {
			old = alike(old)
		}
		if len(old) > 1 && newest.Before(now.Add(-quietAfter)) {
			return old, day
		}
	}
	for _, month := range slices.Sorted(maps.Keys(byMonth)) {
		isOver := now.Add(-monthAfter).UTC().Format(monthLayout) > month
		if old := alike(byMonth[month]); len(old) > 1 && isOver && sizeOf(old) <= monthBytes && newestIn(all, month).Before(now.Add(-quietAfter)) {
			return old, month
		}
	}
	return nil, ""
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

// newestIn returns when the newest event arrived that can be of a day or a month.
func newestIn(all []parts.Part, bucket string) time.Time {
	layout := time.DateOnly[:len(bucket)]
	return newestOf(slices.DeleteFunc(slices.Clone(all), func(part parts.Part) bool {
		return !slices.ContainsFunc(part.Sources, func(source parts.Source) bool {
			return source.Oldest.Format(layout) <= bucket && bucket <= source.Newest.Format(layout)
		})
	}))
}

// rewrite writes the visible events of parts to new ones, and replaces them: with one part of a day or a month, or if that
// is empty with one for each day. The caller holds
// merging.
func (s *Store) rewrite(ctx context.Context, old []parts.Part, bucket string) error {
	return repeated(func() error { return s.rewriteOnce(ctx, old, bucket) })
}

func (s *Store) rewriteOnce(ctx context.Context, old []parts.Part, bucket string) (err error) {
	buckets := []string{bucket}
	if bucket == "" {
		if buckets, err = s.daysOf(ctx, old); err != nil {
			return err
		}
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
	for _, day := range buckets {
		from.day = day
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

// daysOf returns the days of the events of parts, the earliest first.
func (s *Store) daysOf(ctx context.Context, old []parts.Part) (days []string, err error) {
	selects := make([]string, 0, len(old))
	for i := range old {
		selects = append(selects, "SELECT DISTINCT strftime(timestamp, '%Y-%m-%d') AS day FROM "+partCatalog(old[i].Number)+"."+eventsTable)
	}
	var day string
	err = eachRow(ctx, s.db, "SELECT DISTINCT day FROM ("+unionAll(selects)+") ORDER BY day", nil, []any{&day}, func() error {
		days = append(days, day)
		return nil
	})
	slices.SortFunc(days, func(a, b string) int { return cmp.Or(cmp.Compare(len(a), len(b)), cmp.Compare(a, b)) })
	return days, err
}

package main

import (
	"math"
	"strings"
	"testing"
	"time"
)

func TestBucketsDiffer(t *testing.T) {
	t.Parallel()
	fields := []string{"mean", "count"}
	ours := buckets{2_000_000: {1.5, 3}, 1_000_000: {math.NaN(), 0}}
	if first := ours.first(); !first.Equal(time.Unix(1, 0)) {
		t.Errorf("the first bucket is %s", first)
	}
	if err := ours.differ(buckets{1_000_000: {math.NaN(), 0}, 2_000_000: {1.5 + 1e-12, 3}}, fields); err != nil {
		t.Error(err)
	}
	for want, theirs := range map[string]buckets{
		"2 buckets, and PostgreSQL 1":                  {1_000_000: {math.NaN(), 0}},
		"count of the bucket 1970-01-01T00:00:02Z":     {1_000_000: {math.NaN(), 0}, 2_000_000: {1.5, 4}},
		"mean of the bucket 1970-01-01T00:00:01Z":      {1_000_000: {0, 0}, 2_000_000: {1.5, 3}},
		"mean of the bucket 1970-01-01T00:00:02Z is [": {1_000_000: {math.NaN(), 0}, 3_000_000: {1.5, 3}},
	} {
		if err := ours.differ(theirs, fields); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want %s", err, want)
		}
	}
}

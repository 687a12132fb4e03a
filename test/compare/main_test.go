package main

import (
	"io"
	"strings"
	"testing"
)

func TestParse(t *testing.T) {
	t.Parallel()
	o, err := parse([]string{"-events", "200000", "-steps", "queries,sustained", "-order", "none"}, io.Discard)
	if err != nil || o.events != 200_000 || strings.Join(o.selected(), " ") != "queries sustained" || o.order != "none" || o.rounds != 20 {
		t.Errorf("%+v, %v", o, err)
	}
	for arguments, want := range map[string]string{
		"-steps nothing":  `-steps has "nothing"; use queries, postgres, responses, dashboard, sustained, or none`,
		"-steps ":         `-steps has ""`,
		"-order random":   `-order is "random"`,
		"-events 10":      "-events must be at least 1000",
		"200000":          `unexpected argument "200000"`,
		"-rounds 0":       "-rounds",
		"-unknown":        "not defined",
		"-events million": "invalid value",
	} {
		t.Run(arguments, func(t *testing.T) {
			t.Parallel()
			if _, err := parse(strings.Split(arguments, " "), io.Discard); err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("error %v, want %s", err, want)
			}
		})
	}
}

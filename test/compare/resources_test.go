package main

import (
	"os"
	"path/filepath"
	"testing"
	"time"
)

func TestProc(t *testing.T) {
	t.Parallel()
	processor, err := parseStat("42 (a b) c) S 1 42 42 0 -1 4194560 100 200 0 0 150 50 20 5 20 0 9 0 12345 1000 200\n")
	if err != nil || processor != 2250*time.Millisecond {
		t.Errorf("%v, %v", processor, err)
	}
	if _, err := parseStat("42 (short) S 1\n"); err == nil {
		t.Error("a line that is too short has no processor time")
	}
	resident, maximum, err := parseStatus("Name:\tx\nVmHWM:\t    2048 kB\nVmRSS:\t    1024 kB\nThreads:\t9\n")
	if err != nil || resident != 1<<20 || maximum != 2<<20 {
		t.Errorf("%d, %d, %v", resident, maximum, err)
	}
}

func TestMachine(t *testing.T) {
	t.Parallel()
	used, err := parseMachine("cpu  100 20 30 9000 500 4 5 6 7 8\ncpu0 1 2 3\n")
	if err != nil || used != 1650*time.Millisecond {
		t.Errorf("%v, %v", used, err)
	}
	if _, err := parseMachine("intr 1 2 3 4 5 6 7 8 9\n"); err == nil {
		t.Error("a line of something else has no processor time")
	}
}

func TestDiskUsage(t *testing.T) {
	t.Parallel()
	directory := t.TempDir()
	empty, err := diskUsage(directory)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(filepath.Join(directory, "part"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(directory, "part", "values"), make([]byte, 100_000), 0o600); err != nil {
		t.Fatal(err)
	}
	used, err := diskUsage(directory)
	if err != nil || used-empty < 100_000 || used-empty > 120_000 {
		t.Errorf("%d bytes more, %v", used-empty, err)
	}
}

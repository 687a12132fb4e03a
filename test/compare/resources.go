package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// resources are what a server has used.
type resources struct {
	// processor is the processor time of the process and of ended children.
	processor time.Duration
	// resident and maximum are the resident memory in bytes, now and at most.
	resident, maximum int64
	// disk is the bytes of the blocks that the data takes.
	disk int64
}

func (s *server) resources() (resources, error) {
	directory := "/proc/" + strconv.Itoa(s.process.Process.Pid)
	stat, err := os.ReadFile(directory + "/stat")
	if err != nil {
		return resources{}, errors.Join(err, s.alive())
	}
	status, err := os.ReadFile(directory + "/status")
	if err != nil {
		return resources{}, errors.Join(err, s.alive())
	}
	var r resources
	if r.processor, err = parseStat(string(stat)); err != nil {
		return r, err
	}
	if r.resident, r.maximum, err = parseStatus(string(status)); err != nil {
		return r, err
	}
	r.disk, err = diskUsage(s.directory)
	return r, err
}

// parseStat returns the processor time of /proc/PID/stat: the fields 14 to 17, in hundredths
// of a second. The second field is a name in parentheses, which may contain spaces.
func parseStat(stat string) (time.Duration, error) {
	fields := strings.Fields(stat[strings.LastIndexByte(stat, ')')+1:])
	if len(fields) < 15 {
		return 0, fmt.Errorf("/proc/PID/stat has %d fields", len(fields))
	}
	var sum int64
	for _, field := range fields[11:15] {
		ticks, err := strconv.ParseInt(field, 10, 64)
		if err != nil {
			return 0, err
		}
		sum += ticks
	}
	return time.Duration(sum) * 10 * time.Millisecond, nil
}

// parseStatus returns the resident memory of /proc/PID/status, now and at most.
func parseStatus(status string) (resident, maximum int64, err error) {
	for line := range strings.Lines(status) {
		name, value, _ := strings.Cut(line, ":")
		if name != "VmRSS" && name != "VmHWM" {
			continue
		}
		kilobytes, err := strconv.ParseInt(strings.TrimSuffix(strings.TrimSpace(value), " kB"), 10, 64)
		if err != nil {
			return 0, 0, err
		}
		if name == "VmRSS" {
			resident = kilobytes << 10
		} else {
			maximum = kilobytes << 10
		}
	}
	return resident, maximum, nil
}

// diskUsage returns the bytes of the blocks that the files of a directory take.
func diskUsage(directory string) (int64, error) {
	var sum int64
	err := filepath.WalkDir(directory, func(_ string, entry fs.DirEntry, err error) error {
		var info fs.FileInfo
		if err == nil {
			info, err = entry.Info()
		}
		if errors.Is(err, fs.ErrNotExist) {
			return nil // removed meanwhile
		}
		if err != nil {
			return err
		}
		if stat, ok := info.Sys().(*syscall.Stat_t); ok {
			sum += stat.Blocks * 512
		}
		return nil
	})
	return sum, err
}

const (
	// Servers are idle once each took less than idleShare of a processor for idleTime. That is longer
	// than the 5 seconds for which VictoriaLogs holds events back from the disk, and the 45 seconds after
	// which savedq has written all events to parts, and merged them.
	idleShare   = 0.03
	idleTime    = 50 * time.Second
	longestRest = 3 * time.Minute
)

// rest waits until the servers are idle, but no longer than [longestRest].
func rest(ctx context.Context, servers ...*server) error {
	last := make([]time.Duration, len(servers))
	for began, idleSince := time.Now(), time.Now(); time.Since(idleSince) < idleTime && time.Since(began) < longestRest; {
		if err := sleep(ctx, time.Second); err != nil {
			return err
		}
		for i, s := range servers {
			used, err := s.resources()
			if err != nil {
				return err
			}
			if (used.processor - last[i]).Seconds() >= idleShare {
				idleSince = time.Now()
			}
			last[i] = used.processor
		}
	}
	return nil
}

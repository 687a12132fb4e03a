package main

import (
	"fmt"
	"os"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// others measures how much of the processors other programs take, which distort the times.
type others struct {
	began time.Time
	used  time.Duration
}

func watchOthers() (others, error) {
	used, err := usedByOthers()
	return others{time.Now(), used}, err
}

// share returns the share of all processors that other programs took. The servers must have ended.
func (o others) share() (float64, error) {
	used, err := usedByOthers()
	all := time.Since(o.began) * time.Duration(runtime.NumCPU())
	return max(0, (used-o.used).Seconds()/all.Seconds()), err
}

// usedByOthers returns the processor time of all processes but this one and its ended children.
func usedByOthers() (time.Duration, error) {
	stat, err := os.ReadFile("/proc/stat")
	if err != nil {
		return 0, err
	}
	used, err := parseMachine(string(stat))
	for _, who := range []int{syscall.RUSAGE_SELF, syscall.RUSAGE_CHILDREN} {
		var usage syscall.Rusage
		if err := syscall.Getrusage(who, &usage); err != nil {
			return 0, err
		}
		used -= time.Duration(usage.Utime.Nano() + usage.Stime.Nano())
	}
	return used, err
}

// parseMachine returns the time, in hundredths of a second in /proc/stat, in which the processors
// were neither idle nor waiting for a disk.
func parseMachine(stat string) (time.Duration, error) {
	line, _, _ := strings.Cut(stat, "\n")
	fields := strings.Fields(line) // cpu user nice system idle iowait irq softirq steal guest guest_nice
	if len(fields) < 9 || fields[0] != "cpu" {
		return 0, fmt.Errorf("/proc/stat begins with %q", line)
	}
	var sum int64
	for _, position := range []int{1, 2, 3, 6, 7, 8} {
		ticks, err := strconv.ParseInt(fields[position], 10, 64)
		if err != nil {
			return 0, err
		}
		sum += ticks
	}
	return time.Duration(sum) * 10 * time.Millisecond, nil
}

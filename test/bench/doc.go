// Package bench measures response times, each next to a minimal implementation, so that
// the ratio shows what savedq adds. It has only benchmarks; "make bench" prints the
// ratios.
package bench

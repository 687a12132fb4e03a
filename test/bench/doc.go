// Package bench measures how fast answers are, each time beside something that does
// no more than is needed, so that the ratio of the two says what savedq adds. It
// holds nothing but benchmarks; "make bench" prints their ratios.
package bench

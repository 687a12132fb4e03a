package sqlq

import (
	"math"
	"strconv"
)

// FormatBytes formats a number of bytes for people: in the largest unit of 1024 that
// fits, with at most one decimal.
func FormatBytes(bytes int64) string {
	const step = 1024
	units := []string{"B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"}
	size, unit := float64(bytes), 0
	for math.Round(size*10)/10 >= step && unit < len(units)-1 {
		size /= step
		unit++
	}
	return strconv.FormatFloat(math.Round(size*10)/10, 'f', -1, 64) + " " + units[unit]
}

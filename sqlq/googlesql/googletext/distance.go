package googletext

import (
	"errors"
	"unicode/utf8"
)

// mostSteps limits how many pairs of characters EditDistance compares, which nothing can cancel.
const mostSteps = 1 << 23

var errSteps = errors.New("the texts of EDIT_DISTANCE are too long; compare the beginnings of them with LEFT, or set max_distance")

// EditDistance returns how many characters must be added, removed or replaced to make the one text of the other, but at most
// so many.
func EditDistance(a, b string, most int64) (int64, error) {
	if !utf8.ValidString(a) || !utf8.ValidString(b) {
		return 0, errors.New("a text of EDIT_DISTANCE is not UTF-8")
	}
	return distance([]rune(a), []rune(b), most)
}

// EditDistanceOfBytes is as [EditDistance], of bytes.
func EditDistanceOfBytes(a, b []byte, most int64) (int64, error) { return distance(a, b, most) }

func distance[T comparable](a, b []T, most int64) (int64, error) {
	if most < 0 {
		return 0, errors.New("max_distance of EDIT_DISTANCE must not be negative")
	}
	if len(a) < len(b) {
		a, b = b, a
	}
	for len(b) > 0 && a[0] == b[0] {
		a, b = a[1:], b[1:]
	}
	for len(b) > 0 && a[len(a)-1] == b[len(b)-1] {
		a, b = a[:len(a)-1], b[:len(b)-1]
	}
	band := int(min(most, int64(len(a)))) // a distance of at most this many is found near the diagonal
	if len(a)-len(b) >= band {
		return int64(band), nil
	}
	if int64(len(a))*int64(min(len(b), 2*band+1)) > mostSteps {
		return 0, errSteps
	}
	row := make([]int, len(b)+1) // distances of the beginning of a from those of b
	for j := range row {
		row[j] = j
	}
	for i := range a {
		first, last := max(0, i-band), min(len(b), i+1+band)
		diagonal := row[first]
		row[first] = ifElse(first == 0, i+1, band+1)
		if last < len(b) {
			row[last+1] = band + 1 // not computed yet
		}
		for j := first; j < last; j++ {
			above := row[j+1]
			if j+1 == i+1+band { // outside of the band before
				above = band + 1
			}
			least := min(above, row[j]) + 1
			row[j+1] = min(least, diagonal+ifElse(a[i] == b[j], 0, 1))
			diagonal = above
		}
	}
	return int64(min(row[len(b)], band)), nil
}

func ifElse(condition bool, then, otherwise int) int {
	if condition {
		return then
	}
	return otherwise
}

// Package googletext has functions of texts and bytes as GoogleSQL has them, for engines that do not.
package googletext

import (
	"golang.org/x/text/cases"
	"golang.org/x/text/unicode/norm"
)

// The forms of Unicode that NORMALIZE takes.
const (
	NFC  = "NFC"
	NFKC = "NFKC"
	NFD  = "NFD"
	NFKD = "NFKD"
)

// Normalize returns a text in a form of Unicode.
func Normalize(text, form string) string {
	return map[string]norm.Form{NFC: norm.NFC, NFKC: norm.NFKC, NFD: norm.NFD, NFKD: norm.NFKD}[form].String(text)
}

// NormalizeAndCasefold returns a text in a form of Unicode, with the letters that stand for both cases.
func NormalizeAndCasefold(text, form string) string {
	return cases.Fold().String(Normalize(text, form))
}

package googletext

// soundexCodes are the codes of the letters from A on. Those of code 0 do not count.
const soundexCodes = "01230120022455012623010202"

// Soundex returns a letter and three digits, by how English pronounces a text. Other characters than the letters from A to Z
// are left out, and a text without any is empty.
func Soundex(text string) string {
	result := []byte("0000")
	length, previous := 0, byte(0)
	for i := 0; i < len(text) && length < len(result); i++ {
		letter := text[i] &^ 0x20 // in upper case
		if letter < 'A' || letter > 'Z' {
			continue
		}
		switch code := soundexCodes[letter-'A']; {
		case length == 0:
			result[0], length, previous = text[i], 1, code
		case code != '0' && code != previous:
			result[length], previous = code, code
			length++
		}
	}
	if length == 0 {
		return ""
	}
	return string(result)
}

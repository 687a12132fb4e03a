package load

// StandardInput is the path that stands for the standard input.
const StandardInput = "-"

// inputName names an input for people.
func inputName(path string) string {
	if path == StandardInput {
		return "standard input"
	}
	return path
}

package cli

import "github.com/alecthomas/kong"

// Model returns the commands and flags of the program, for the reference of flags.
func Model() (*kong.Application, error) {
	parser, err := newParser(&commands{}, newEnvironment(func(string) string { return "" }))
	if err != nil {
		return nil, err
	}
	return parser.Model, nil
}

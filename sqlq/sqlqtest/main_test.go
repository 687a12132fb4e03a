package sqlqtest

import (
	"flag"
	"os"
	"testing"
)

// updateFlag makes the tests of the reference rewrite the wanted rows of the case files.
const updateFlag = "update"

// TestMain registers the flag before the flags are parsed.
func TestMain(m *testing.M) {
	flag.Bool(updateFlag, false, "rewrite the wanted rows of the case files")
	os.Exit(m.Run())
}

// updating reports whether the case files are to be rewritten.
func updating() bool { return flag.Lookup(updateFlag).Value.String() == "true" }

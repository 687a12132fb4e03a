package emulatortest

import (
	"flag"
	"fmt"
	"io"
	"net/http"
	"os"
	"testing"

	"github.com/goccy/bigquery-emulator/server"
	"github.com/goccy/bigquery-emulator/types"
)

// serveVariable, when set, makes this program an emulator instead of a test.
const serveVariable = "SAVEDQ_SERVE_EMULATOR"

// Names in the emulator. It has one dataset, because it finds an unqualified table
// name in whatever dataset has such a table.
const (
	projectName = "project"
	datasetName = "logs"
	// emptyProject is a project without datasets, whose name the SQL does not distinguish from the other.
	emptyProject = "PROJECT"
)

// parallelTests is how many tests run at the same time, and so about how many
// emulators: one for each of two processors, and one more for the time that a test
// spends on DuckDB and the reference. Each takes some 600 MiB.
const parallelTests = "3"

const (
	// bare is the path of the unmodified emulator, without [jobs].
	bare = "/bare"
	// unaided is the path of the emulator with [jobs] that run SQL as it is.
	unaided = "/unaided"
)

// TestMain runs the tests, or an emulator for one of them.
func TestMain(m *testing.M) {
	if os.Getenv(serveVariable) != "" {
		if err := serve(os.Stdin, os.Stdout); err != nil {
			_, _ = fmt.Fprintln(os.Stderr, "emulator:", err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	flag.Parse()
	given := false
	flag.Visit(func(set *flag.Flag) { given = given || set.Name == "test.parallel" })
	if !given {
		if err := flag.Set("test.parallel", parallelTests); err != nil {
			_, _ = fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
	}
	os.Exit(m.Run())
}

// serve runs an emulator, says where it is, and ends when its input does.
func serve(until io.Reader, where io.Writer) error {
	emulator, err := server.New(server.TempStorage)
	if err != nil {
		return err
	}
	if err := emulator.Load(server.StructSource(types.NewProject(projectName, types.NewDataset(datasetName)))); err != nil {
		return err
	}
	if err := emulator.SetProject(emptyProject); err != nil {
		return err
	}
	listening := emulator.TestServer()
	handler := http.NewServeMux()
	handler.Handle(bare+"/", http.StripPrefix(bare, emulator.Handler))
	handler.Handle(unaided+"/", http.StripPrefix(unaided, newJobs(emulator.Handler, func(sql string) (string, error) { return sql, nil })))
	handler.Handle("/", newJobs(emulator.Handler, withHelp))
	listening.Config.Handler = handler
	if _, err := fmt.Fprintln(where, listening.URL); err != nil {
		return err
	}
	if _, err := io.Copy(io.Discard, until); err != nil {
		return err
	}
	listening.Close()
	return emulator.Close()
}

package querytest

import (
	"encoding/xml"
	"fmt"
	"strings"
	"time"
)

// The elements of JUnit's XML, as CI servers read it.
type (
	junitSuites struct {
		XMLName  xml.Name     `xml:"testsuites"`
		Tests    int          `xml:"tests,attr"`
		Failures int          `xml:"failures,attr"`
		Time     string       `xml:"time,attr"`
		Suites   []junitSuite `xml:"testsuite"`
	}
	junitSuite struct {
		Name     string      `xml:"name,attr"`
		Tests    int         `xml:"tests,attr"`
		Failures int         `xml:"failures,attr"`
		Time     string      `xml:"time,attr"`
		Cases    []junitCase `xml:"testcase"`
	}
	junitCase struct {
		Class   string        `xml:"classname,attr"`
		Name    string        `xml:"name,attr"`
		File    string        `xml:"file,attr"`
		Line    int           `xml:"line,attr"`
		Time    string        `xml:"time,attr"`
		Failure *junitFailure `xml:"failure"`
	}
	junitFailure struct {
		Message string `xml:"message,attr"`
		Text    string `xml:",chardata"`
	}
)

// JUnit returns the reports as JUnit XML: a suite for each saved query.
func JUnit(reports []*Report) ([]byte, error) {
	var all junitSuites
	var duration time.Duration
	for _, report := range reports {
		suite := junitSuite{Name: report.Query.Name, Tests: len(report.Outcomes), Failures: report.Failed(), Time: seconds(report.Duration())}
		for _, outcome := range report.Outcomes {
			c := junitCase{
				Class: report.Query.Name, Name: outcome.Case.Name, Time: seconds(outcome.Duration),
				File: outcome.Case.Place.File, Line: outcome.Case.Place.Line,
			}
			if !outcome.Passed() {
				c.Failure = &junitFailure{Message: outcome.Differences[0], Text: strings.Join(outcome.Differences, "\n")}
			}
			suite.Cases = append(suite.Cases, c)
		}
		all.Suites = append(all.Suites, suite)
		all.Tests += suite.Tests
		all.Failures += suite.Failures
		duration += report.Duration()
	}
	all.Time = seconds(duration)
	text, err := xml.MarshalIndent(all, "", "  ")
	return append([]byte(xml.Header), append(text, '\n')...), err
}

func seconds(duration time.Duration) string { return fmt.Sprintf("%.3f", duration.Seconds()) }

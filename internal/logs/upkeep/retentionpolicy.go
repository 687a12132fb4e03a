package upkeep

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"os"
	"strings"
	"time"

	"savedq/internal/files/regularfile"
	"savedq/internal/text/strictyaml"
	"savedq/sqlq"
)

// RetentionPolicy is how long events are kept.
type RetentionPolicy struct {
	// Default is for sources that are not in Sources and say none themselves; 0 means for ever.
	Default time.Duration
	// Sources has the tables of sources; 0 means for ever.
	Sources map[string]time.Duration
}

func (p RetentionPolicy) equal(other RetentionPolicy) bool {
	return p.Default == other.Default && maps.Equal(p.Sources, other.Sources)
}

// Of returns how long events of a source are kept, or 0 for ever.
func (p RetentionPolicy) Of(source *sqlq.Table) time.Duration {
	if duration, ok := p.Sources[source.Name]; ok {
		return duration
	}
	if source.Retention == sqlq.KeptForEver {
		return 0
	}
	return cmp.Or(source.Retention, p.Default)
}

const (
	// ShortestRetention is the shortest time for which events can be kept.
	ShortestRetention = time.Minute
	// forever is the word for events that are never deleted.
	forever = "forever"
	// maxFileBytes limits a retention file.
	maxFileBytes = 64 << 10
)

// CheckRetention returns an error if events cannot be kept for a time.
func CheckRetention(duration time.Duration) error {
	if duration < ShortestRetention {
		return fmt.Errorf("%s is shorter than %s", duration, ShortestRetention)
	}
	return nil
}

// ReadRetentionFile reads a retention file; see [ReadRetention].
func ReadRetentionFile(path string, tables sqlq.Tables, parse func(string) (time.Duration, error)) (map[string]time.Duration, error) {
	data, err := regularfile.Read(path)
	if err != nil {
		return nil, sqlq.FileErrors{{File: path, Message: "cannot be read: " + reason(err)}}
	}
	return ReadRetention(path, data, tables, parse)
}

// reason returns an error without the path, which the message has already.
func reason(err error) string {
	if failure, ok := errors.AsType[*os.PathError](err); ok {
		err = failure.Err
	}
	return err.Error()
}

// ReadRetention parses a retention file strictly: a mapping of sources, by any name (D22), to
// durations or the word forever. It returns the durations by the table of each source, and all mistakes at once,
// as [sqlq.FileErrors].
func ReadRetention(file string, data []byte, tables sqlq.Tables, parse func(string) (time.Duration, error)) (map[string]time.Duration, error) {
	sources := tables.Sources()
	var names []string
	for _, source := range sources {
		names = append(names, source.Names()...)
	}
	yaml := &strictyaml.Reader{MostBytes: maxFileBytes, SecondDocument: "a retention file is one document; remove the second one"}
	durations := make(map[string]time.Duration)
	if m := yaml.Read(data, names...); m != nil {
		for _, source := range sources {
			for _, name := range source.Names() {
				if !m.Has(name) {
					continue
				}
				if _, taken := durations[source.Name]; taken {
					m.At(name).Mistakef("%s is the source %s, which has a line already", name, source.Name)
				}
				durations[source.Name] = strictyaml.Value(m, name, 0, func(value strictyaml.Node) (time.Duration, error) { return kept(value, parse) })
			}
		}
	}
	if mistakes := yaml.Mistakes(); len(mistakes) > 0 {
		return nil, sqlq.FileErrorsIn(file, mistakes)
	}
	return durations, nil
}

// kept reads how long events are kept.
func kept(value strictyaml.Node, parse func(string) (time.Duration, error)) (time.Duration, error) {
	text, _ := value.Scalar()
	if text = strings.TrimSpace(text); text == forever {
		return 0, nil
	}
	duration, err := parse(text)
	if err != nil {
		return 0, fmt.Errorf("%w, or the word %s", err, forever)
	}
	if err := CheckRetention(duration); err != nil {
		return 0, fmt.Errorf("%w; use a longer duration, or the word %s", err, forever)
	}
	return duration, nil
}

package sqlqtest

import (
	"encoding/json"
	"fmt"
)

// record is one object of a metadata list. Fields are looked up with their
// exact spelling; one that is missing, null or of another type has no value.
type record map[string]any

// metadataRecords reads metadata of the storage shape (D14). NULL, null and an
// empty list have no records.
func metadataRecords(metadata json.RawMessage) ([]record, error) {
	if metadata == nil {
		return nil, nil
	}
	var records []record
	if err := json.Unmarshal(metadata, &records); err != nil {
		return nil, fmt.Errorf("metadata is not a list of objects: %w", err)
	}
	return records, nil
}

// nested returns the records of a nested object. Unnesting gives one record for
// each element, and so none at all for a field that is missing, null or empty
// (D4: a cross join drops what has no partner).
func (r record) nested(name string) []record {
	list, _ := r[name].([]any)
	records := make([]record, 0, len(list))
	for _, element := range list {
		if object, isObject := element.(map[string]any); isObject {
			records = append(records, record(object))
		}
	}
	return records
}

// text returns a STRING field, or false where there is no value.
func (r record) text(name string) (string, bool) {
	value, isText := r[name].(string)
	return value, isText
}

// number returns a number field, or false where there is no value.
func (r record) number(name string) (float64, bool) {
	value, isNumber := r[name].(float64)
	return value, isNumber
}

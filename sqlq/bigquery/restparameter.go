package bigquery

import (
	"fmt"
	"time"

	"cloud.google.com/go/bigquery"
	"cloud.google.com/go/civil"
	rest "google.golang.org/api/bigquery/v2"
)

// restParameters returns parameters as the layer under the client takes them.
func restParameters(list []bigquery.QueryParameter) []*rest.QueryParameter {
	parameters := make([]*rest.QueryParameter, 0, len(list))
	for _, parameter := range list {
		kind, value := restValue(parameter.Value)
		parameters = append(parameters, &rest.QueryParameter{Name: parameter.Name, ParameterType: kind, ParameterValue: value})
	}
	return parameters
}

// restValue returns the type and the value of one of the values of [parameterValue].
func restValue(value any) (*rest.QueryParameterType, *rest.QueryParameterValue) {
	switch value := value.(type) {
	case []string:
		return restArray("STRING", value)
	case []int64:
		return restArray("INT64", value)
	case []float64:
		return restArray("FLOAT64", value)
	case []bool:
		return restArray("BOOL", value)
	case []civil.Date:
		return restArray("DATE", value)
	case int64:
		return scalarType("INT64"), restScalar(value)
	case float64:
		return scalarType("FLOAT64"), restScalar(value)
	case bool:
		return scalarType("BOOL"), restScalar(value)
	case civil.Date:
		return scalarType("DATE"), restScalar(value)
	case time.Time:
		return scalarType("TIMESTAMP"), restScalar(value.Format("2006-01-02 15:04:05.999999-07:00"))
	case bigquery.NullInt64:
		return scalarType("INT64"), restNull()
	case bigquery.NullFloat64:
		return scalarType("FLOAT64"), restNull()
	case bigquery.NullBool:
		return scalarType("BOOL"), restNull()
	case bigquery.NullDate:
		return scalarType("DATE"), restNull()
	case bigquery.NullString:
		return scalarType("STRING"), restNull()
	}
	return scalarType("STRING"), restScalar(value)
}

func scalarType(name string) *rest.QueryParameterType { return &rest.QueryParameterType{Type: name} }

// restScalar returns a single value, which may be an empty string.
func restScalar(value any) *rest.QueryParameterValue {
	return &rest.QueryParameterValue{Value: fmt.Sprint(value), ForceSendFields: []string{"Value"}}
}

func restNull() *rest.QueryParameterValue {
	return &rest.QueryParameterValue{NullFields: []string{"Value"}}
}

// restArray returns an array with its elements, even if there are none: the service reads an array
// without them as NULL, whose ARRAY_LENGTH is not 0.
func restArray[T any](element string, values []T) (*rest.QueryParameterType, *rest.QueryParameterValue) {
	list := &rest.QueryParameterValue{ForceSendFields: []string{"ArrayValues"}}
	for _, value := range values {
		list.ArrayValues = append(list.ArrayValues, restScalar(value))
	}
	return &rest.QueryParameterType{Type: "ARRAY", ArrayType: scalarType(element)}, list
}

package functions_test

import (
	"database/sql"
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"savedq/sqlq/duckdb/functions"
	"savedq/sqlq/googlesql"
)

// Statistics of NUMERIC values, of any size and any number, are the FLOAT64 that is nearest to the exact one, or its
// neighbour where a root is drawn.
func TestStatisticsOfNumericAreExact(t *testing.T) {
	t.Parallel()
	db, err := sql.Open("duckdb", "")
	require.NoError(t, err)
	t.Cleanup(func() { assert.NoError(t, db.Close()) })
	require.NoError(t, functions.Register(t.Context(), db))
	r := rand.New(rand.NewPCG(1, 2))
	for range 25 {
		var pairs []string
		var x, y []*big.Rat
		for range 1 + r.IntN(6) {
			texts := [2]string{number(r), number(r)}
			if r.IntN(5) == 0 {
				texts[r.IntN(2)] = ""
			}
			pairs = append(pairs, fmt.Sprintf("STRUCT(%s AS x, %s AS y)", literal(texts[0]), literal(texts[1])))
			if texts[0] != "" && texts[1] != "" {
				x, y = append(x, rat(t, texts[0])), append(y, rat(t, texts[1]))
			}
		}
		for _, name := range []string{"VAR_POP", "VAR_SAMP", "STDDEV_POP", "STDDEV", "COVAR_POP", "COVAR_SAMP", "CORR"} {
			args := "x"
			if strings.HasPrefix(name, "CO") {
				args = "x, y"
			}
			translation, err := googlesql.Translate("SELECT "+name+"("+args+") AS v FROM UNNEST(["+strings.Join(pairs, ", ")+"]) WHERE x IS NOT NULL AND y IS NOT NULL", googlesql.Environment{})
			require.NoError(t, err)
			var got sql.NullFloat64
			require.NoError(t, db.QueryRowContext(t.Context(), translation.SQL).Scan(&got), translation.SQL)
			want := exactly(name, x, y)
			require.Equal(t, want != nil, got.Valid, "%s %v", name, pairs)
			if want == nil || math.IsNaN(*want) {
				assert.True(t, want == nil || math.IsNaN(got.Float64), "%s %v: %v", name, pairs, got.Float64)
				continue
			}
			assert.True(t, got.Float64 == *want || got.Float64 == math.Nextafter(*want, 2) || got.Float64 == math.Nextafter(*want, -2) || got.Float64 == math.Nextafter(*want, math.Inf(1)),
				"%s %v: %v instead of %v", name, pairs, got.Float64, *want)
		}
	}
}

// number returns a NUMERIC of up to 38 digits.
func number(r *rand.Rand) string {
	digits := func(count int) string {
		var text strings.Builder
		for range count {
			text.WriteByte(byte('0' + r.IntN(10)))
		}
		return text.String()
	}
	return []string{"", "-"}[r.IntN(2)] + digits(1+r.IntN(29)) + "." + digits(1+r.IntN(9))
}

func literal(text string) string {
	if text == "" {
		return "CAST(NULL AS NUMERIC)"
	}
	return "NUMERIC '" + text + "'"
}

func rat(t *testing.T, text string) *big.Rat {
	t.Helper()
	value, ok := new(big.Rat).SetString(text)
	require.True(t, ok)
	return value
}

// exactly computes a statistic by its definition; nil is NULL.
func exactly(name string, x, y []*big.Rat) *float64 {
	covariance := func(a, b []*big.Rat) *big.Rat {
		mean := func(of []*big.Rat) *big.Rat {
			sum := new(big.Rat)
			for _, value := range of {
				sum.Add(sum, value)
			}
			return sum.Quo(sum, big.NewRat(int64(len(of)), 1))
		}
		sum, ofA, ofB := new(big.Rat), mean(a), mean(b)
		for i := range a {
			sum.Add(sum, new(big.Rat).Mul(new(big.Rat).Sub(a[i], ofA), new(big.Rat).Sub(b[i], ofB)))
		}
		return sum
	}
	isSample, divisor := strings.HasSuffix(name, "_SAMP") || name == "STDDEV", int64(len(x))
	if isSample {
		divisor--
	}
	if divisor < 1 || name == "CORR" && len(x) < 2 {
		return nil
	}
	if name == "CORR" {
		product := new(big.Rat).Mul(covariance(x, x), covariance(y, y))
		if product.Sign() == 0 {
			value := math.NaN()
			return &value
		}
		root := new(big.Float).SetPrec(600).SetRat(product)
		value, _ := new(big.Float).SetPrec(600).Quo(new(big.Float).SetPrec(600).SetRat(covariance(x, y)), root.Sqrt(root)).Float64()
		return &value
	}
	if !strings.HasPrefix(name, "CO") {
		y = x
	}
	value, _ := new(big.Rat).Quo(covariance(x, y), big.NewRat(divisor, 1)).Float64()
	if strings.HasPrefix(name, "STDDEV") {
		value = math.Sqrt(value)
	}
	return &value
}

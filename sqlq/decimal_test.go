package sqlq_test

import (
	"encoding/json"
	"math/big"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"savedq/sqlq"
)

// Equal numbers have one text.
func TestParseDecimal(t *testing.T) {
	t.Parallel()
	for want, texts := range map[string]string{
		"0":      "0 -0 +0 0.000 .0 0. 00 -0.0 0e5 0e-999999999999999999999 0.0e999999999999999999999",
		"1.5":    "1.5 1.50 +1.5 01.500 15e-1 0.15e1 .15E+1 0.00015e4",
		"-12":    "-12 -12.0 -012. -1.2e1 -1200e-2 -0.012e3",
		"100000": "1e5 100000 1E+05 10.0e4",
		"0.001":  "1e-3 .001 0.0010 100e-5",
		"12345678901234567890123456789.123456789":      "12345678901234567890123456789.123456789 12345678901234567890123456789123456789e-9",
		"-340282366920938463463374607431768211455":     "-340282366920938463463374607431768211455",
		"0.00000000000000000000000000000000000001":     "0.00000000000000000000000000000000000001 1e-38",
		"1" + strings.Repeat("0", 399):                 "1e399",
		"0." + strings.Repeat("0", 399) + "1":          "1e-400",
		"12345678901234567890123456789012345678.12345": "12345678901234567890123456789012345678.12345",
	} {
		for text := range strings.FieldsSeq(texts) {
			number, err := sqlq.ParseDecimal(text)
			require.NoError(t, err, text)
			assert.Equal(t, sqlq.Decimal(want), number, text)
		}
		assert.True(t, json.Valid([]byte(want)), want)
	}
	for _, text := range []string{"", " ", ".", "-", "+", "e5", "1e", "1e+", "1e1.5", "1,5", "1.5.2", "1 5", " 1", "--1", "+-1", "NaN", "nan", "Infinity", "-inf", "0x10", "1_000", "1e0x1", "١", "one", "1e5e5"} {
		_, err := sqlq.ParseDecimal(text)
		require.EqualError(t, err, sqlq.Quote(text)+" is not a decimal number; use for example 12.50", text)
	}
	for _, text := range []string{"1e400", "1e-401", "1e99999999999999999999", "-1e-99999999999999999999", strings.Repeat("9", 401)} {
		_, err := sqlq.ParseDecimal(text)
		require.EqualError(t, err, "has too many digits", text)
	}
}

func TestCompareDecimals(t *testing.T) {
	t.Parallel()
	ordered := []sqlq.Decimal{"-10000000000000000000000000000", "-10", "-9.5", "-0.000000001", "0", "0.000000001", "0.5", "9", "10", "99999999999999999999999999999.999999999"}
	for i, a := range ordered {
		for j, b := range ordered {
			assert.Equal(t, big.NewInt(int64(i)).Cmp(big.NewInt(int64(j))), a.Compare(b), "%s, %s", a, b)
		}
	}
}

func TestParseType(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]sqlq.Type{
		"NUMERIC": sqlq.Numeric, "BIGNUMERIC": sqlq.Numeric, "ARRAY<BIGNUMERIC>": "ARRAY<NUMERIC>", "ARRAY<ARRAY<BIGNUMERIC>>": "ARRAY<ARRAY<NUMERIC>>",
		"STRING": sqlq.String, "MYBIGNUMERIC": "MYBIGNUMERIC", "": "", ">": ">", "ARRAY<STRING>": "ARRAY<STRING>",
	} {
		assert.Equal(t, want, sqlq.ParseType(name), name)
	}
}

// FuzzParseDecimal holds for every text: a number has one text, which is JSON and keeps its value.
func FuzzParseDecimal(f *testing.F) {
	for _, text := range []string{"1.50", "-0e5", ".5", "1e-9", "1e400", "00.100e2"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		number, err := sqlq.ParseDecimal(text)
		if err != nil {
			return
		}
		again, err := sqlq.ParseDecimal(string(number))
		if err != nil || again != number || !json.Valid([]byte(number)) || strings.ContainsAny(string(number), "eE+") {
			t.Errorf("%q became %q, and that %q", text, number, again)
		}
		want, ok := new(big.Rat).SetString(text)
		got, _ := new(big.Rat).SetString(string(number))
		if ok && want.Cmp(got) != 0 {
			t.Errorf("%q became %q", text, number)
		}
	})
}

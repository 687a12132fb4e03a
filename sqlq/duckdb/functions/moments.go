package functions

import (
	"database/sql/driver"
	"errors"
	"fmt"
	"math"
	"math/big"
	"strings"

	"github.com/duckdb/duckdb-go/v2"
)

// moments computes a statistic of exact numbers from sums of their parts, because the square of a NUMERIC has more digits
// than any number of DuckDB. A number of units, of which 10^9 are one, consists of its Limbs.
//
// Its arguments are the name of the statistic, the number of values or pairs, and the sums: of the limbs of x, of y if
// there are two variables, and of the products of two limbs, of x and x, x and y, and y and y, as far as the statistic
// needs them. The last are in the order of [Products].
type moments struct{ config duckdb.ScalarFuncConfig }

// MomentsName is the name of the function in DuckDB.
const MomentsName = "numeric_moments"

// Limbs are the powers of ten that the limbs of a number are multiplied with.
func Limbs() []int64 { return []int64{24, 9, 0} }

// Products calls use with the indexes of the limbs of each product.
func Products(use func(i, j int)) {
	for i := range Limbs() {
		for j := range Limbs() {
			use(i, j)
		}
	}
}

func newMoments() (*moments, error) {
	var types []duckdb.TypeInfo
	for _, of := range []duckdb.Type{duckdb.TYPE_VARCHAR, duckdb.TYPE_BIGINT, duckdb.TYPE_HUGEINT, duckdb.TYPE_DOUBLE} {
		info, err := duckdb.NewTypeInfo(of)
		if err != nil {
			return nil, err
		}
		types = append(types, info)
	}
	sums, err := duckdb.NewListInfo(types[2])
	if err != nil {
		return nil, err
	}
	return &moments{duckdb.ScalarFuncConfig{InputTypeInfos: []duckdb.TypeInfo{types[0], types[1], sums}, ResultTypeInfo: types[3]}}, nil
}

func (m *moments) Config() duckdb.ScalarFuncConfig { return m.config }

func (m *moments) Executor() duckdb.ScalarFuncExecutor {
	return duckdb.ScalarFuncExecutor{RowExecutor: func(args []driver.Value) (any, error) {
		name, isName := args[0].(string)
		count, isCount := args[1].(int64)
		list, isList := args[2].([]any)
		if !isName || !isCount || !isList {
			return nil, errors.New("numeric_moments takes a name, a number and a list")
		}
		sums := make([]*big.Int, len(list))
		for i := range list {
			sum, ok := list[i].(*big.Int)
			if !ok {
				return nil, fmt.Errorf("a sum is a %T", list[i])
			}
			sums[i] = sum
		}
		return statistic(name, count, sums)
	}}
}

// statistic returns a variance, a standard deviation, a covariance or a correlation.
func statistic(name string, count int64, sums []*big.Int) (any, error) {
	variables, products := 1, 1
	switch {
	case strings.HasPrefix(name, "covar"):
		variables = 2
	case name == "corr":
		variables, products = 2, 3
	}
	limbs := len(Limbs())
	if want := variables*limbs + products*limbs*limbs; len(sums) != want {
		return nil, fmt.Errorf("%s of %d sums instead of %d", name, len(sums), want)
	}
	single := make([]*big.Int, variables)
	for i := range single {
		single[i] = weighted(sums[:limbs], func(i int) int64 { return Limbs()[i] })
		sums = sums[limbs:]
	}
	// spread is the square of count times the covariance of population, in squares of units.
	spread := func(a, b int) *big.Int {
		var weights []int64
		Products(func(i, j int) { weights = append(weights, Limbs()[i]+Limbs()[j]) })
		sum := weighted(sums[:limbs*limbs], func(i int) int64 { return weights[i] })
		sums = sums[limbs*limbs:]
		sum.Mul(sum, big.NewInt(count))
		return sum.Sub(sum, new(big.Int).Mul(single[a], single[b]))
	}
	if name == "corr" {
		x, xy, y := spread(0, 0), spread(0, 1), spread(1, 1)
		return correlation(x, xy, y), nil
	}
	divisor := big.NewInt(count)
	if strings.HasSuffix(name, "_samp") {
		divisor = big.NewInt(count - 1)
	}
	const squareOfUnits = 18
	divisor.Mul(divisor, big.NewInt(count)).Mul(divisor, power(squareOfUnits))
	if divisor.Sign() <= 0 {
		return nil, nil //nolint:nilnil // It is NULL.
	}
	value, _ := new(big.Rat).SetFrac(spread(0, variables-1), divisor).Float64()
	if strings.HasPrefix(name, "stddev") {
		value = math.Sqrt(value)
	}
	return value, nil
}

// correlation divides by the root of the product of two variances.
func correlation(x, xy, y *big.Int) float64 {
	const precision = 512
	product := new(big.Float).SetPrec(precision).SetInt(new(big.Int).Mul(x, y))
	if product.Sign() <= 0 {
		return math.NaN()
	}
	quotient := new(big.Float).SetPrec(precision).SetInt(xy)
	value, _ := quotient.Quo(quotient, product.Sqrt(product)).Float64()
	return value
}

// weighted returns a sum of numbers, each times a power of ten.
func weighted(numbers []*big.Int, exponent func(i int) int64) *big.Int {
	sum := new(big.Int)
	for i, number := range numbers {
		sum.Add(sum, new(big.Int).Mul(number, power(exponent(i))))
	}
	return sum
}

func power(exponent int64) *big.Int {
	return new(big.Int).Exp(big.NewInt(10), big.NewInt(exponent), nil)
}

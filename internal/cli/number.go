package cli

import (
	"errors"
	"fmt"
	"reflect"
	"strconv"

	"github.com/alecthomas/kong"
)

// numbers parses whole and other numbers as kong does, but accepts negative ones without an
// equals sign, so that the validation of the command can say what is wrong with them.
func numbers() []kong.Option {
	return []kong.Option{
		kong.KindMapper(reflect.Int, kong.MapperFunc(func(ctx *kong.DecodeContext, target reflect.Value) error {
			text, err := popNumber(ctx.Scan, "whole number")
			if err != nil {
				return err
			}
			number, err := strconv.ParseInt(text, 0, target.Type().Bits())
			if err != nil {
				return notNumber(text, "a whole number", err)
			}
			target.SetInt(number)
			return nil
		})),
		kong.KindMapper(reflect.Float64, kong.MapperFunc(func(ctx *kong.DecodeContext, target reflect.Value) error {
			text, err := popNumber(ctx.Scan, "number")
			if err != nil {
				return err
			}
			number, err := strconv.ParseFloat(text, target.Type().Bits())
			if err != nil {
				return notNumber(text, "a number", err)
			}
			target.SetFloat(number)
			return nil
		})),
	}
}

// popNumber returns the next argument as the text of a number, which may begin with a minus
// followed by a digit.
func popNumber(scan *kong.Scanner, context string) (text string, err error) {
	token := scan.Peek()
	if text, ok := token.Value.(string); ok && len(text) > 1 && text[0] == '-' && text[1] >= '0' && text[1] <= '9' {
		scan.Pop()
		return text, nil
	}
	err = scan.PopValueInto(context, &text)
	return text, err
}

// notNumber returns the error for a text that is not a number.
func notNumber(text, kind string, err error) error {
	if errors.Is(err, strconv.ErrRange) {
		return fmt.Errorf("%s is out of range", text)
	}
	return fmt.Errorf("%q is not %s", text, kind)
}

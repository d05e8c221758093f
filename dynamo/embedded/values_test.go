package embedded_test

import (
	"fmt"
	"slices"
	"strings"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"tallylock/dynamo/embedded/sdk"
)

// doc is an item, a key, or the values of an expression.
type doc = sdk.Item

func s(text string) types.AttributeValue { return sdk.S(text) }
func n(text string) types.AttributeValue { return sdk.N(text) }
func b(text string) types.AttributeValue { return sdk.B(text) }
func m(d doc) types.AttributeValue       { return &types.AttributeValueMemberM{Value: d} }
func yes(v bool) types.AttributeValue    { return &types.AttributeValueMemberBOOL{Value: v} }
func null() types.AttributeValue         { return &types.AttributeValueMemberNULL{Value: true} }
func ss(v ...string) types.AttributeValue {
	return &types.AttributeValueMemberSS{Value: v}
}

func ns(v ...string) types.AttributeValue {
	return &types.AttributeValueMemberNS{Value: v}
}

func bs(v ...string) types.AttributeValue {
	out := &types.AttributeValueMemberBS{}
	for _, text := range v {
		out.Value = append(out.Value, []byte(text))
	}
	return out
}

func l(v ...types.AttributeValue) types.AttributeValue {
	return &types.AttributeValueMemberL{Value: append([]types.AttributeValue{}, v...)}
}

// show writes a value as text. It sorts names and sets, so equal values have equal texts.
func show(v any) string {
	switch v := v.(type) {
	case *types.AttributeValueMemberS:
		return fmt.Sprintf("%q", v.Value)
	case *types.AttributeValueMemberN:
		return v.Value
	case *types.AttributeValueMemberB:
		return fmt.Sprintf("b%q", v.Value)
	case *types.AttributeValueMemberM:
		return show(v.Value)
	case *types.AttributeValueMemberL:
		return "L" + showAll(v.Value, false)
	case *types.AttributeValueMemberSS:
		return "SS" + showAll(v.Value, true)
	case *types.AttributeValueMemberNS:
		return "NS" + showAll(v.Value, true)
	case *types.AttributeValueMemberBS:
		return "BS" + showAll(v.Value, true)
	case *types.AttributeValueMemberBOOL:
		return fmt.Sprint(v.Value)
	case *types.AttributeValueMemberNULL:
		return "null"
	case doc:
		parts := make([]string, 0, len(v))
		for name, av := range v {
			parts = append(parts, name+": "+show(av))
		}
		slices.Sort(parts)
		return "{" + strings.Join(parts, ", ") + "}"
	case []doc:
		return showAll(v, false)
	case *string:
		return aws.ToString(v)
	case *float64:
		return fmt.Sprint(aws.ToFloat64(v))
	}
	return fmt.Sprint(v)
}

func showAll[T any](v []T, sorted bool) string {
	parts := make([]string, len(v))
	for i := range v {
		parts[i] = show(v[i])
	}
	if sorted {
		slices.Sort(parts)
	}
	return "[" + strings.Join(parts, ", ") + "]"
}

package client

import (
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"tallylock/dynamo/attr"
)

func itemOf(in map[string]types.AttributeValue) attr.Item {
	if in == nil {
		return nil
	}
	out := make(attr.Item, len(in))
	for name, v := range in {
		out[name] = valueOf(v)
	}
	return out
}

func valueOf(in types.AttributeValue) attr.Value {
	switch v := in.(type) {
	case *types.AttributeValueMemberS:
		return attr.String(v.Value)
	case *types.AttributeValueMemberN:
		return attr.Number(v.Value)
	case *types.AttributeValueMemberB:
		return attr.Binary(string(v.Value))
	case *types.AttributeValueMemberBOOL:
		return attr.Value{Kind: attr.BOOL, Bool: v.Value}
	case *types.AttributeValueMemberNULL:
		return attr.Value{Kind: attr.NULL}
	case *types.AttributeValueMemberSS:
		return attr.Value{Kind: attr.SS, Set: v.Value}
	case *types.AttributeValueMemberNS:
		return attr.Value{Kind: attr.NS, Set: v.Value}
	case *types.AttributeValueMemberBS:
		out := attr.Value{Kind: attr.BS}
		for _, b := range v.Value {
			out.Set = append(out.Set, string(b))
		}
		return out
	case *types.AttributeValueMemberL:
		out := attr.Value{Kind: attr.L, List: make([]attr.Value, len(v.Value))}
		for n, e := range v.Value {
			out.List[n] = valueOf(e)
		}
		return out
	case *types.AttributeValueMemberM:
		return attr.Value{Kind: attr.M, Map: itemOf(v.Value)}
	}
	return attr.Value{}
}

// WireItem converts an item into a map of the SDK.
func WireItem(in attr.Item) map[string]types.AttributeValue {
	out := make(map[string]types.AttributeValue, len(in))
	for name, v := range in {
		out[name] = wireValue(v)
	}
	return out
}

func wireValue(v attr.Value) types.AttributeValue {
	switch v.Kind {
	case attr.S:
		return &types.AttributeValueMemberS{Value: v.Text}
	case attr.N:
		return &types.AttributeValueMemberN{Value: v.Text}
	case attr.B:
		return &types.AttributeValueMemberB{Value: []byte(v.Text)}
	case attr.BOOL:
		return &types.AttributeValueMemberBOOL{Value: v.Bool}
	case attr.SS:
		return &types.AttributeValueMemberSS{Value: v.Set}
	case attr.NS:
		return &types.AttributeValueMemberNS{Value: v.Set}
	case attr.BS:
		set := make([][]byte, len(v.Set))
		for n, s := range v.Set {
			set[n] = []byte(s)
		}
		return &types.AttributeValueMemberBS{Value: set}
	case attr.L:
		list := make([]types.AttributeValue, len(v.List))
		for n, e := range v.List {
			list[n] = wireValue(e)
		}
		return &types.AttributeValueMemberL{Value: list}
	case attr.M:
		return &types.AttributeValueMemberM{Value: WireItem(v.Map)}
	}
	return &types.AttributeValueMemberNULL{Value: true}
}

package attr_test

import (
	"encoding/json"
	"fmt"

	"tallylock/dynamo/attr"
)

// The example reads an item from DynamoDB JSON and finds its key. Numbers are compared by value, so 100.0 equals 1E2.
func Example() {
	var item attr.Item
	err := json.Unmarshal([]byte(`{"PK":{"S":"ACCT#1"},"SK":{"S":"PROFILE"},"balance":{"N":"100.0"},"contact":{"M":{"email":{"S":"ada@lovelace.io"}}}}`), &item)
	if err != nil {
		fmt.Println(err)
		return
	}
	schema := attr.Schema{HashName: "PK", HashKind: attr.S, RangeName: "SK", RangeKind: attr.S}
	key, ok := schema.KeyOf(item)
	fmt.Println(key, ok)
	fmt.Println(item.At("contact.email").Display())
	fmt.Println(item["balance"].Text, item["balance"].Equal(attr.Number("1E2")))
	// Output:
	// ACCT#1 / PROFILE true
	// ada@lovelace.io
	// 100.0 true
}

func ExampleDecimal() {
	for _, text := range []string{"1.500", "1e126", "12345678901234567890123456789012345678"} {
		fmt.Println(attr.Decimal(text))
	}
	// Output:
	// 1.5 true
	//  false
	// 12345678901234567890123456789012345678 true
}

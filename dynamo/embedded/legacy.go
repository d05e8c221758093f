package embedded

import (
	"encoding/json"
	"reflect"
)

// legacy holds the parameters that expressions replaced in 2014. They are
// known here only to be refused: ignored, they would do harm.
type legacy struct {
	AttributesToGet, AttributeUpdates, ConditionalOperator, Expected, KeyConditions, QueryFilter, ScanFilter json.RawMessage `json:",omitempty"`
}

func (l legacy) refuse() error {
	v := reflect.ValueOf(l)
	for i := range v.NumField() {
		if raw := v.Field(i).Bytes(); len(raw) > 0 && string(raw) != "null" {
			return invalid("The legacy parameter %s is not supported here: use expressions", v.Type().Field(i).Name)
		}
	}
	return nil
}

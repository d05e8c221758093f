package plan

import (
	"tallylock/dynamo/attr"
	"tallylock/dynamo/check/finding"
	"tallylock/dynamo/counter"
)

// Request is the request of a person. It has enough data to plan the change again, and nothing of the requests
// to DynamoDB. The kind of change determines which fields are set.
type Request struct {
	// Constraint and Value identify a lock, or the value of an account.
	Constraint string    `json:"constraint,omitempty"`
	Value      string    `json:"value,omitempty"`
	Lock       attr.Item `json:"lock,omitempty"` // its key
	// Reserved allows a release although the lock's account may still come.
	Reserved bool      `json:"reserved,omitempty"`
	Account  attr.Item `json:"account,omitempty"` // its key
	// Counter is the name of a counter, Key its key, and Attribute the attribute that holds its number.
	Counter   string    `json:"counter,omitempty"`
	Key       attr.Item `json:"key,omitempty"`
	Attribute string    `json:"attribute,omitempty"`
	// By is the count of numbers that a counter advances. To is the counter's new number, or an account's new
	// value.
	By string `json:"by,omitempty"`
	To string `json:"to,omitempty"`
	// Receipt identifies a change to undo. Finding is a finding to mend.
	Receipt string           `json:"receipt,omitempty"`
	Finding *finding.Finding `json:"finding,omitempty"`
}

// IsEmpty reports whether the request names no item, change or finding.
func (r Request) IsEmpty() bool {
	return r.Lock == nil && r.Account == nil && r.Counter == "" && r.Receipt == "" && r.Finding == nil
}

// CanJoin reports whether two requests can be applied together.
func (r Request) CanJoin(other Request) bool {
	if r.Finding != nil || other.Finding != nil {
		return r.Finding != nil && other.Finding != nil
	}
	return r.Lock != nil && other.Lock != nil
}

// counterRequest returns the request to change a counter.
func counterRequest(c counter.Counter, to string) Request {
	return Request{Counter: c.Name, Key: c.Key.Item(), Attribute: c.Attribute, To: to}
}

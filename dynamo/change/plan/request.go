package plan

import (
	"tallylock/dynamo/attr"
	"tallylock/dynamo/check/finding"
	"tallylock/dynamo/counter"
)

// Request is what a person asked for: enough to plan the change again, and nothing of what
// it sends. Which fields are set depends on the kind of change.
type Request struct {
	// Constraint and Value identify a lock, or the value of an account.
	Constraint string    `json:"constraint,omitempty"`
	Value      string    `json:"value,omitempty"`
	Lock       attr.Item `json:"lock,omitempty"` // its key
	// Reserved allows a release although the lock's account may still come.
	Reserved bool      `json:"reserved,omitempty"`
	Account  attr.Item `json:"account,omitempty"` // its key
	// Counter is a counter's name, Key its key, and Attribute the attribute with its number.
	Counter   string    `json:"counter,omitempty"`
	Key       attr.Item `json:"key,omitempty"`
	Attribute string    `json:"attribute,omitempty"`
	// By is how many numbers a counter is to advance. To is its new number, or an account's
	// new value.
	By string `json:"by,omitempty"`
	To string `json:"to,omitempty"`
	// Receipt identifies a change to undo; Finding is to be mended.
	Receipt string           `json:"receipt,omitempty"`
	Finding *finding.Finding `json:"finding,omitempty"`
}

// IsEmpty reports whether the request asks for nothing.
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

// counterRequest is the request to change a counter.
func counterRequest(c counter.Counter, to string) Request {
	return Request{Counter: c.Name, Key: c.Key.Item(), Attribute: c.Attribute, To: to}
}

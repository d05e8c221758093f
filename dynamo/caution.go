package dynamo

import "fmt"

// Guard is how careful a connection or a table asks everybody to be with changes.
type Guard string

// The guards, from the least.
const (
	GuardConfirm Guard = "confirm" // a change asks first
	GuardType    Guard = "type"    // the value or the counter's name has to be typed
	GuardDeny    Guard = "deny"    // no change at all; no flag lifts it
)

// Check says what is wrong with a guard of the config.
func (g Guard) Check() error {
	switch g {
	case "", GuardConfirm, GuardType, GuardDeny:
		return nil
	}
	return fmt.Errorf("%q is no guard: use confirm, type or deny", string(g))
}

// GuardOf is the guard of a table: its own, or the connection's.
func (c *Connection) GuardOf(table string) Guard {
	if g := c.options.Guards[table]; g != "" {
		return g
	}
	if c.options.Guard != "" {
		return c.options.Guard
	}
	return GuardConfirm
}

// RequiresReason reports whether changes of a table need a reason: as the config
// says of it, or else of the connection.
func (c *Connection) RequiresReason(table string) bool {
	if required, said := c.options.Reasons[table]; said {
		return required
	}
	return c.options.RequireReason
}

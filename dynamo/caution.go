package dynamo

import (
	"cmp"
	"fmt"
	"os"
	"slices"
	"strings"
)

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
func (c *Connection) GuardOf(table string) Guard { return c.options.guardOf(table) }

func (o Options) guardOf(table string) Guard {
	return cmp.Or(o.Guards[table], o.Guard, GuardConfirm)
}

// RequiresReason reports whether changes of a table need a reason: as the config
// says of it, or else of the connection.
func (c *Connection) RequiresReason(table string) bool { return c.options.requiresReason(table) }

func (o Options) requiresReason(table string) bool {
	if required, said := o.Reasons[table]; said {
		return required
	}
	return o.RequireReason
}

// Heeding is the connection with the cautions of those others that lead to the same
// place, the strictest where there are several: what somebody has asked for there
// counts by whatever flags the place is reached. Nothing else of them is taken over.
func (c ConnectionConfig) Heeding(others ...ConnectionConfig) ConnectionConfig {
	var same []Options
	for _, o := range others {
		if c.leadsTo(o) {
			same = append(same, o.Options())
		}
	}
	if len(same) == 0 {
		return c
	}
	guard, reason := strictest(same, "")
	c.Guard, c.RequireReason = &guard, &reason
	c.Guards, c.Reasons = map[string]Guard{}, map[string]bool{}
	for _, o := range same {
		for table := range o.Guards {
			c.Guards[table], _ = strictest(same, table)
		}
		for table := range o.Reasons {
			_, c.Reasons[table] = strictest(same, table)
		}
	}
	return c
}

// strictest is what one of several connections asks for at most, of a table.
func strictest(all []Options, table string) (guard Guard, reason bool) {
	order := []Guard{GuardConfirm, GuardType, GuardDeny}
	for _, o := range all {
		if g := o.guardOf(table); slices.Index(order, g) > slices.Index(order, guard) {
			guard = g
		}
		reason = reason || o.requiresReason(table)
	}
	return guard, reason
}

// leadsTo reports whether two connections lead to the same place, as far as that can
// be told before connecting: a Region that only the profile knows may be the same.
// A server on this machine is one whatever the credentials are.
func (c ConnectionConfig) leadsTo(other ConnectionConfig) bool {
	endpoint, profile, region := c.place()
	e, p, r := other.place()
	return endpoint == e && (profile == p || loopback(endpoint)) && (region == r || region == "" || r == "" || loopback(endpoint))
}

func (c ConnectionConfig) place() (endpoint, profile, region string) {
	endpoint = strings.TrimSuffix(Options{Endpoint: c.EndpointURL}.endpoint(), "/")
	profile = cmp.Or(c.Profile, os.Getenv("AWS_PROFILE"), "default")
	return endpoint, profile, cmp.Or(c.Region, os.Getenv("AWS_REGION"), os.Getenv("AWS_DEFAULT_REGION"))
}

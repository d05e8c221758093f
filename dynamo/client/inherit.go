package client

import (
	"context"
	"maps"
	"slices"
)

// Inherit gives the connection the guards, reasons and colours of those others that
// lead to the same place, the strictest where there are several. chosen: it is one of
// the config as it stands there, chosen by its name; it keeps its own, and only what
// is said of single tables holds there, too. elsewhere are the connections whose
// tables may still turn out to be the same: Options.Others takes them.
func (c Config) Inherit(ctx context.Context, chosen bool, others ...Config) (inheriting Config, elsewhere []Config) {
	if len(others) == 0 {
		return c, nil
	}
	at := c.resolve(ctx)
	var same []Config
	sure := false
	for _, o := range others {
		if chosen {
			o.Guard, o.RequireReason = nil, nil // of all its tables, and not of single ones
		}
		where := o.resolve(ctx)
		if !at.is(where) {
			elsewhere = append(elsewhere, o)
			continue
		}
		same, sure = append(same, o), sure || where.err == nil
	}
	if len(same) == 0 {
		return c, elsewhere
	}
	if c.Name != "" || !sure {
		same = append(same, c)
	}
	return c.strictest(same, chosen), elsewhere
}

// strictest is the connection with the strictest that several ask for.
func (c Config) strictest(all []Config, chosen bool) Config {
	var options []Options
	for _, o := range all {
		options = append(options, o.Options())
		if !chosen {
			c.Production = c.Production || o.Production
			if c.Colour == "" {
				c.Colour = o.Colour
			}
		}
	}
	own := c.Reasons
	guard, reason := strictest(options, "")
	c.Guards, c.Reasons = map[string]Guard{}, map[string]bool{}
	for _, o := range options {
		for table := range o.Guards {
			c.Guards[table], _ = strictest(options, table)
		}
		for table := range o.Reasons {
			_, c.Reasons[table] = strictest(options, table)
		}
	}
	if !chosen {
		c.Guard, c.RequireReason = &guard, &reason
		return c
	}
	maps.Copy(c.Reasons, own)
	return c
}

// strictest is what one of several connections asks for at most, of a table.
func strictest(all []Options, table string) (guard Guard, reason bool) {
	for _, o := range all {
		if g := o.guardOf(table); guard == "" || g.stricter(guard) {
			guard = g
		}
		reason = reason || o.requiresReason(table)
	}
	return guard, reason
}

// stricterThan are those connections that ask for more of a table than these options.
func (o Options) stricterThan(others []*described, table string) []*described {
	return slices.DeleteFunc(slices.Clone(others), func(d *described) bool {
		return !d.options.guardOf(table).stricter(o.guardOf(table)) && !o.heedsReason(d.options, table)
	})
}

// heedsReason reports whether changes of a table need a reason since another
// connection asks for one: what these options say of the table themselves counts.
func (o Options) heedsReason(other Options, table string) bool {
	_, said := o.Reasons[table]
	return !said && other.requiresReason(table)
}

package embedded

import (
	"fmt"
	"slices"
	"strings"
)

const (
	readUnit  = 4096
	writeUnit = 1024
)

// halfUnits counts capacity in halves of a unit, so that it stays an integer: an
// eventually consistent read of 4 KB costs half a unit.
type halfUnits int64

func roundUp(size, unit int) halfUnits {
	return halfUnits(max(1, (size+unit-1)/unit))
}

func readCost(size int, consistent bool) halfUnits {
	if consistent {
		return 2 * roundUp(size, readUnit)
	}
	return roundUp(size, readUnit)
}

func writeCost(before, after int) halfUnits {
	return 2 * roundUp(max(before, after), writeUnit)
}

// MarshalJSON writes units, such as 1.5.
func (n halfUnits) MarshalJSON() ([]byte, error) {
	return fmt.Appendf(nil, "%d.%d", n/2, n%2*5), nil
}

// consumption counts the units that a request consumed of one table.
type consumption struct {
	table         halfUnits
	global, local map[string]halfUnits // by the name of the index
}

func (c *consumption) addIndex(x *index, units halfUnits) {
	if c.global == nil {
		c.global, c.local = map[string]halfUnits{}, map[string]halfUnits{}
	}
	if x.local {
		c.local[x.name] += units
	} else {
		c.global[x.name] += units
	}
}

// A write in a transaction costs twice as much as a write alone.
const (
	alone      halfUnits = 1
	transacted halfUnits = 2
)

// write adds the capacity of one change. factor is alone or transacted, and multiplies the units of the
// table. It does not multiply the units of the indexes.
func (c *consumption) write(ch change, factor halfUnits) {
	c.table += factor * writeCost(ch.before.size, ch.after.size)
	for _, ic := range ch.indexes {
		units := writeCost(ic.before.size, ic.after.size)
		if ic.before.key != "" && ic.after.key != "" && ic.before.key != ic.after.key {
			units = writeCost(ic.before.size, 0) + writeCost(0, ic.after.size)
		}
		c.addIndex(ic.index, units)
	}
}

// capacityDetail is the value of ReturnConsumedCapacity.
type capacityDetail string

func (d capacityDetail) wanted() bool { return d == "TOTAL" || d == "INDEXES" }

func (d capacityDetail) check() error {
	return oneOf("returnConsumedCapacity", string(d), "", "NONE", "TOTAL", "INDEXES")
}

// oneOf returns an error for a value that is not one of the allowed values.
func oneOf(parameter, value string, allowed ...string) error {
	if slices.Contains(allowed, value) {
		return nil
	}
	return invalid(
		"1 validation error detected: Value '%s' at '%s' failed to satisfy constraint: Member must satisfy enum value set: [%s]",
		value, parameter, strings.Trim(strings.Join(allowed, ", "), ", "),
	)
}

// consumed is the ConsumedCapacity of an answer.
type consumed struct {
	TableName string
	units
	Table                  *units           `json:",omitempty"`
	GlobalSecondaryIndexes map[string]units `json:",omitempty"`
	LocalSecondaryIndexes  map[string]units `json:",omitempty"`
}

type units struct {
	CapacityUnits      halfUnits
	ReadCapacityUnits  halfUnits `json:",omitempty"` // this field and the next are only for transactions
	WriteCapacityUnits halfUnits `json:",omitempty"`
}

func plain(n halfUnits) units           { return units{CapacityUnits: n} }
func transactedRead(n halfUnits) units  { return units{CapacityUnits: n, ReadCapacityUnits: n} }
func transactedWrite(n halfUnits) units { return units{CapacityUnits: n, WriteCapacityUnits: n} }

func (c consumption) report(table string, detail capacityDetail, as func(halfUnits) units) consumed {
	total := c.table
	each := func(indexes map[string]halfUnits) map[string]units {
		out := map[string]units{}
		for name, n := range indexes {
			out[name] = as(n)
			total += n
		}
		return out
	}
	global, local := each(c.global), each(c.local)
	out := consumed{TableName: table, units: as(total)}
	if detail == "INDEXES" {
		of := as(c.table)
		out.Table, out.GlobalSecondaryIndexes, out.LocalSecondaryIndexes = &of, global, local
	}
	return out
}

// capacity writes the consumed capacity of a request for one table, if the request wants it.
func (w *writer) capacity(table string, c consumption, detail capacityDetail) error {
	if !detail.wanted() {
		return nil
	}
	return w.json("ConsumedCapacity", c.report(table, detail, plain))
}

// capacities writes the consumed capacity of each table that a request used, if the request wants it.
func (w *writer) capacities(used map[string]*consumption, detail capacityDetail, as func(halfUnits) units) error {
	if !detail.wanted() {
		return nil
	}
	var all []consumed
	for _, name := range sortedKeys(used) {
		all = append(all, used[name].report(name, detail, as))
	}
	return w.json("ConsumedCapacity", all)
}

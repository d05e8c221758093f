package config

import (
	"errors"
	"fmt"
	"math/big"
	"slices"

	"tallylock/dynamo/attr"
	"tallylock/dynamo/layout"
	"tallylock/dynamo/mistake"
)

func (cc Counter) build() (*layout.Counter, error) {
	c := &layout.Counter{
		Name:      cc.Name,
		Is:        cc.Is.discriminator(),
		Attribute: cc.Attribute,
		Semantics: layout.Semantics(cc.Semantics),
		Resets:    cc.Resets,
		Origin:    cc.origin,
	}
	if c.Attribute == "" {
		return nil, errors.New("attribute is missing: the counter's attribute with the number")
	}
	switch c.Semantics {
	case layout.Last, layout.Next, layout.Tally:
	case "":
		c.Semantics = layout.Last
	default:
		return nil, mistake.Errorf("semantics", "unknown semantics %q: use last, next or tally%s", cc.Semantics,
			mistake.Meant(cc.Semantics, "last", "next", "tally"))
	}
	if cc.PK == "" {
		return nil, errors.New("pk is missing: the template of the counter's partition key")
	}
	var err error
	if c.PK, c.SK, err = plainTemplates(cc.PK, cc.SK); err != nil {
		return nil, err
	}
	if c.Start, err = number(cc.Start, "0"); err != nil {
		return nil, within("start", "start", err)
	}
	if c.Step, err = number(cc.Step, "1"); err != nil {
		return nil, within("step", "step", err)
	}
	if c.Step.Sign() <= 0 {
		return nil, mistake.Errorf("step", "step is %s, but it must be at least 1, because a counter only rises", c.Step)
	}
	if c.Offset, err = number(cc.Offset, "0"); err != nil {
		return nil, within("offset", "offset", err)
	}
	if err := errors.Join(cc.Is.check(), named("attribute", cc.Attribute), cc.ceiling(c), cc.checkResets()); err != nil {
		return nil, err
	}
	for n, ic := range cc.IDs {
		ids, err := ic.build(c)
		if err != nil {
			return nil, within(fmt.Sprintf("ids[%d]", n), "ids", err)
		}
		c.IDs = append(c.IDs, ids)
	}
	if len(c.IDs) > 0 && c.Semantics == layout.Tally {
		return nil, mistake.Errorf("semantics", "a tally hands out no ids: remove ids, or change semantics")
	}
	if c.Resets != "" {
		c.IDs, c.Uncompared = nil, c.IDs
	}
	return c, nil
}

// resets lists the schedules that may reset a counter.
var resets = []string{"hourly", "daily", "weekly", "monthly", "yearly"}

func (cc Counter) checkResets() error {
	if cc.Resets == "" || slices.Contains(resets, cc.Resets) {
		return nil
	}
	return mistake.Errorf("resets", "unknown resets %q: use hourly, daily, weekly, monthly or yearly%s", cc.Resets,
		mistake.Meant(cc.Resets, resets...))
}

// ceiling parses max and modulo. A counter with max ends there. A counter with modulo begins again
// at 0. A counter has at most one of them.
func (cc Counter) ceiling(c *layout.Counter) error {
	for _, limit := range []struct {
		name, text string
		to         **big.Int
	}{{"max", cc.Max, &c.Max}, {"modulo", cc.Modulo, &c.Modulo}} {
		if limit.text == "" {
			continue
		}
		n, err := number(limit.text, "")
		if err != nil {
			return within(limit.name, limit.name, err)
		}
		if n.Sign() <= 0 {
			return mistake.Errorf(limit.name, "%s is %s, but it must be at least 1", limit.name, n)
		}
		*limit.to = n
	}
	if c.Modulo == nil {
		return nil
	}
	switch {
	case c.Max != nil:
		return mistake.Errorf("modulo", "a counter with max ends, but a counter with modulo goes back to 0: remove max or modulo")
	case len(cc.IDs) > 0:
		return errors.New("a counter with modulo hands out the same ids again: remove the section ids or the setting modulo")
	}
	return nil
}

func number(text, fallback string) (*big.Int, error) {
	if text == "" {
		text = fallback
	}
	n, ok := attr.Integer(text)
	if !ok {
		return nil, fmt.Errorf("%q is not a whole number of at most 38 digits", text)
	}
	return n, nil
}

// IDs is the config of a layout.IDs.
type IDs struct {
	Table     string         `toml:"table,omitempty"`
	PK        string         `toml:"pk,omitempty"`
	SK        string         `toml:"sk,omitempty"`
	Is        *Discriminator `toml:"is,inline,omitempty"`
	Attribute string         `toml:"attribute,omitempty"`
	Text      string         `toml:"text,omitempty"`
	Index     string         `toml:"index,omitempty"`
	In        string         `toml:"in,omitempty"`
}

func (ic IDs) build(c *layout.Counter) (layout.IDs, error) {
	ids := layout.IDs{Table: ic.Table, Is: ic.Is.discriminator(), Attribute: ic.Attribute, Index: ic.Index}
	var err error
	if ids.PK, ids.SK, err = plainTemplates(ic.PK, ic.SK); err != nil {
		return ids, err
	}
	if ids.Text, err = layout.ParseTemplate(ic.Text); err != nil {
		return ids, within("text", "text", err)
	}
	if ids.Text.Digests() {
		return ids, mistake.Errorf("text", "text %q: only keys of locks may have {sha256:…}", ic.Text)
	}
	if len(ids.Text.Variables()) > 1 {
		return ids, mistake.Errorf("text", "text %q may have no other variable than {number}", ic.Text)
	}
	if ids.In, err = layout.ParseTemplate(ic.In); err != nil {
		return ids, within("in", "in", err)
	}
	inKey := ids.PK.Uses(layout.NumberVariable) || ids.SK.Uses(layout.NumberVariable)
	switch {
	case inKey && ids.Attribute != "":
		return ids, errors.New("the id is in the key, because pk or sk has {number}: remove attribute, or remove {number} from the key")
	case !inKey && ids.Attribute == "":
		return ids, errors.New("{number} is missing: write {number} into pk or sk in place of the id, or name the attribute with the id")
	case !ids.Text.Empty() && !ids.Text.Uses(layout.NumberVariable):
		return ids, mistake.Errorf("text", "text %q has no {number}: write {number} in place of the id", ic.Text)
	}
	for _, name := range ids.In.Variables() {
		if !slices.Contains(slices.Concat(c.PK.Variables(), c.SK.Variables()), name) {
			return ids, mistake.Errorf("in", "in %q: {%s} is not a variable of the counter's key", ic.In, name)
		}
	}
	if (ids.Index == "") != ids.In.Empty() {
		return ids, mistake.Errorf("index",
			"set both index and in: index names the index that sorts the ids, and in is the template of that index's partition key")
	}
	said := slices.Concat(ids.PK.Variables(), ids.SK.Variables(), ids.Text.Variables())
	for _, name := range slices.Concat(c.PK.Variables(), c.SK.Variables()) {
		if name != layout.HashVariable && name != layout.NumberVariable && !slices.Contains(said, name) {
			return ids, fmt.Errorf("the counter's key has {%s}, but the settings pk, sk and text of the ids do not. Without {%[1]s} the counter of an id is unknown", name)
		}
	}
	return ids, nil
}

func idsConfig(ids layout.IDs) IDs {
	return IDs{
		Table: ids.Table, PK: ids.PK.String(), SK: ids.SK.String(), Is: discriminatorConfig(ids.Is), Attribute: ids.Attribute,
		Text: ids.Text.String(), Index: ids.Index, In: ids.In.String(),
	}
}

package plan

import (
	"context"
	"fmt"
	"math/big"

	"tallylock/dynamo/attr"
	"tallylock/dynamo/counter"
	"tallylock/dynamo/layout"
	"tallylock/dynamo/phrase"
)

// Convert plans to replace the value of a counter by a whole number, if the counter still holds exactly that
// value. If to is nil, the number is derived from the value: the number in a string, or a fraction, rounded up
// to the next number of the series. A person has to type the counter's name. Convert returns a *Refusal if the
// counter already holds a whole number, or if no number can be derived.
func Convert(ctx context.Context, c counter.Counter, to *big.Int) (*Plan, error) {
	now, err := c.Reread(ctx)
	if err != nil {
		return nil, err
	}
	v := now.Item.At(now.Attribute)
	switch n, whole := attr.Integer(v.Text); {
	case !now.Exists:
		return nil, Refuse(Absent, "the counter %s does not exist: %s has no %s", c.Name, now.Key, now.Attribute)
	case v.Kind == attr.N && whole && n.Sign() >= 0:
		return nil, Refuse(InOrder, "the counter %s holds the whole number %s", c.Name, phrase.Group(n.String()))
	}
	if to == nil {
		up, ok := attr.Ceiling(v.Text)
		if (v.Kind != attr.N && v.Kind != attr.S) || !ok || up.Sign() < 0 {
			return nil, Refuse(NotANumber,
				"the counter %s holds \"%s\", which is not a number from 0 up. Type the new number", c.Name, now.Value)
		}
		to = nextInSeries(now.Layout, up)
	}
	if err := CheckInSeries(c, to, "converting"); err != nil {
		return nil, err
	}
	p := planCounterValue(now, KindConvert, to.String())
	p.Before, p.Typed = now.Value, now.Name
	p.Title, p.Button = "Turn it into a number", "Set it to "+phrase.Group(p.After)
	p.Sentence = fmt.Sprintf("%s holds \"%s\" (%s), and holds the number %s from now on.", now.Name, now.Value, v.Kind,
		phrase.Group(p.After))
	if v.Kind == attr.N {
		p.Sentence += " ADD works on it as it is: make sure that it is a counter at all."
	}
	p.Done = fmt.Sprintf("%s holds the number %s", now.Name, phrase.Group(p.After))
	sayNext(p)
	p.AddLine(LabelUndo, "makes it what it is now, if nobody has counted since")
	return bind(p, now.Open())
}

// RoundUp plans to raise a counter that is off its steps to the next number of its series. It returns a
// *Refusal if the counter is on its steps.
func RoundUp(ctx context.Context, c counter.Counter) (*Plan, error) {
	now, err := rereadCounter(ctx, c)
	if err != nil {
		return nil, err
	}
	have, _ := attr.Integer(now.Value)
	to := nextInSeries(now.Layout, have)
	if to.Cmp(have) == 0 {
		return nil, Refuse(InOrder, "the counter %s says %s, which is a number of its series", c.Name,
			phrase.Group(now.Value))
	}
	return Raise(ctx, c, to)
}

// nextInSeries returns the first number of a counter's series from n up.
func nextInSeries(l *layout.Counter, n *big.Int) *big.Int {
	rest := new(big.Int).Sub(l.Offset, n)
	return rest.Add(rest.Mod(rest, l.Step), n)
}

package dynamo

import (
	"context"

	"tallylock/dynamo/attr"
	"tallylock/dynamo/client"
	"tallylock/dynamo/layout"
)

// probeLimit is how many values an inferred layout is tried on, and probeUnits about how
// many read units that takes.
const (
	probeLimit = 20
	probeUnits = 30
)

// probe decides whether an inferred layout folds case. A sample seldom holds an
// account together with its lock, so the locks of values with capitals are read:
// as the value is written, and in lower case.
func probe(ctx context.Context, r *client.Reader, d client.Description, l *layout.Layout, sample []attr.Item) error {
	for _, a := range l.Accounts {
		for _, c := range a.Constraints {
			if err := probeOwner(ctx, r, d, a, c, sample); err != nil {
				return err
			}
			var raw, lower []attr.Key
			for _, item := range sample {
				if _, ok := a.Matches(d.Schema, item); !ok {
					continue
				}
				for _, text := range layout.Texts(item.At(c.Attribute)) {
					small := layout.Normalise([]layout.Normaliser{layout.Lower}, text)
					if small == text || len(raw) == probeLimit {
						continue
					}
					asIs, err := c.LockKey(d.Schema, text, nil)
					folded, foldedErr := c.LockKey(d.Schema, small, nil)
					if err == nil && foldedErr == nil {
						raw, lower = append(raw, asIs), append(lower, folded)
					}
				}
			}
			if len(raw) == 0 {
				continue
			}
			found, err := r.Get(ctx, d.Name, append(raw, lower...), false)
			if err != nil {
				return err
			}
			asWritten, folded := 0, 0
			for n := range raw {
				if found[raw[n].ID()] != nil {
					asWritten++
				}
				if found[lower[n].ID()] != nil {
					folded++
				}
			}
			switch {
			case asWritten > 0 && asWritten >= folded:
				c.Normalise = nil
			case folded > 0 && len(c.Normalise) == 0:
				c.Normalise = []layout.Normaliser{layout.Lower}
			}
		}
	}
	return nil
}

// probeOwner gives up an inferred owner where none of the sample's locks names an
// account that exists: what stands there is no id that the layout can follow.
func probeOwner(ctx context.Context, r *client.Reader, d client.Description, a *layout.Account, c *layout.Constraint, sample []attr.Item) error {
	if c.Owner == "" {
		return nil
	}
	var keys []attr.Key
	for _, item := range sample {
		k, ok := d.Schema.KeyOf(item)
		if !ok || len(keys) >= probeLimit {
			continue
		}
		if _, vars, ok := c.ParseLock(d.Schema, k); ok {
			keys = append(keys, a.Keys(d.Schema, c.OwnerOf(item), vars)...)
		}
	}
	found, err := r.Get(ctx, d.Name, keys, false)
	if err != nil {
		return err
	}
	if len(found) == 0 {
		c.Owner = ""
	}
	return nil
}

package layout

import (
	"cmp"
	"fmt"
)

// Alternative is one line of a constraint read otherwise.
type Alternative struct {
	Line string // as the config would have it
	// At is where the line stands now that would have to be another; empty where it was not
	// read from a config file.
	At       string
	Fits, Of int // it hits Fits of Of values
}

// Rival is items of one shape that may be the accounts in place of those that the layout
// takes for them.
type Rival struct {
	Items, Attribute string
	// Held of Of values that accounts hold they hold, too. Sampled: Held of Of values that
	// they hold have a lock.
	Held, Of int
	Sampled  bool
	// SameID: what names the account by its id may name them as well.
	SameID bool
}

// Rival is the first of those that explain most of the locks which the accounts explain,
// together, and which the owners of locks do not tell from the accounts; nil where there
// are none.
func (e Evidence) Rival() *Rival {
	share := 0.0
	var first *Rival
	for n, r := range e.Rivals {
		if r.SameID || !e.OwnersTell() {
			share += float64(r.Held) / float64(r.Of)
			first = cmp.Or(first, &e.Rivals[n])
		}
	}
	if 2*share*float64(e.Values) < float64(e.Locked) {
		return nil
	}
	return first
}

// String asks what they are.
func (r Rival) String() string {
	if r.Sampled {
		return fmt.Sprintf("%d of %d values that %s items hold under %s have one, too: are those the accounts?", r.Held, r.Of,
			r.Items, r.Attribute)
	}
	return fmt.Sprintf("%s items hold %d of %d of these values under %s: are those the accounts?", r.Items, r.Held, r.Of,
		r.Attribute)
}

package layout

import (
	"cmp"
	"slices"
	"strings"
	"sync"
)

// Place is an attribute that may hold values of a constraint, in items outside the layout. The
// items are all items of one table whose keys have the same shape.
type Place struct {
	Table string `json:"table" toml:"table"`
	// Items is the shape of the items' keys: "ORDER#*/META". A person may write * for a word.
	Items string `json:"items" toml:"items"`
	// Attribute is a path ("contact.email"), or "key" for the key itself.
	Attribute string `json:"attribute" toml:"attribute"`
	// Exact: the program made the shape, and * means an id, a number, a time or a value. If Exact is false, a person wrote
	// the shape, and * means any word.
	Exact bool `json:"exact,omitempty" toml:"exact,omitempty"`
}

// KeyAttribute is the Attribute of a Place whose values are in the keys.
const KeyAttribute = "key"

// Covers reports whether an answer about p is also an answer about place. The tables, the
// attributes and the shapes must be equal. But if a person wrote the shape of p, each * in it
// matches any word.
func (p Place) Covers(place Place) bool {
	switch {
	case p.Table != place.Table || p.Attribute != place.Attribute:
		return false
	case p.Exact:
		return p.Items == place.Items
	}
	mine, other := shapeTokens(p.Items), shapeTokens(place.Items)
	return slices.EqualFunc(mine, other, func(a, b string) bool {
		return a == b || a == AnyWord && !isSeparator(b)
	})
}

// Wider is a Place that covers more items than before: * has replaced one word of its shape.
type Wider struct {
	Place
	at int // index of that word in shapeTokens
}

// Wider returns one wider place for each word of the shape that is not *.
func (p Place) Wider() (all []Wider) {
	for n, token := range shapeTokens(p.Items) {
		if token == AnyWord || isSeparator(token) {
			continue
		}
		tokens := shapeTokens(p.Items)
		tokens[n] = AnyWord
		wide := p
		wide.Items = strings.Join(tokens, "")
		all = append(all, Wider{wide, n})
	}
	return all
}

// Word returns the word in the shape of p at the place where w has its new *. It reports false if w
// does not cover p, or if p also has * at that place.
func (w Wider) Word(p Place) (string, bool) {
	if !w.Covers(p) {
		return "", false
	}
	word := shapeTokens(p.Items)[w.at]
	return word, word != AnyWord
}

// Answer is a person's answer to the question whether a place holds values.
type Answer string

// The answers. If two answers about one place differ, Hold wins.
const (
	NoAnswer Answer = ""
	Hold     Answer = "hold"     // the items hold values, so a lock of such a value is in use
	HoldNot  Answer = "hold not" // the items hold no values: they are copies, or something else
	// Asked: a person saw the question and gave no answer.
	Asked Answer = "asked"
)

// Holder is a place that holds values. PutsLock: every writer of such an item puts the lock in the
// same transaction.
type Holder struct {
	Place
	PutsLock bool
}

// Answers has the answers about all places for one constraint. It is safe for concurrent use. A nil or
// zero Answers is empty.
type Answers struct {
	mu          sync.RWMutex
	holders     []Holder
	others      []Place
	nowhereElse bool
}

// Of returns the answer about a place.
func (a *Answers) Of(place Place) Answer {
	if a == nil {
		return NoAnswer
	}
	a.mu.RLock()
	defer a.mu.RUnlock()
	if slices.ContainsFunc(a.holders, func(h Holder) bool { return h.Covers(place) }) {
		return Hold
	}
	if slices.ContainsFunc(a.others, func(p Place) bool { return p.Covers(place) }) {
		return HoldNot
	}
	return NoAnswer
}

// Set replaces all answers. holders are the places that hold values. others are places that hold
// none. nowhereElse: a person has said that no item outside the layout holds values.
func (a *Answers) Set(holders []Holder, others []Place, nowhereElse bool) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.holders, a.others, a.nowhereElse = slices.Clone(holders), slices.Clone(others), nowhereElse
}

// All returns all answers, with the meanings of Set.
func (a *Answers) All() (holders []Holder, others []Place, nowhereElse bool) {
	if a == nil {
		return nil, nil, false
	}
	a.mu.RLock()
	defer a.mu.RUnlock()
	return slices.Clone(a.holders), slices.Clone(a.others), a.nowhereElse
}

// Unlocked reports whether there is a holder whose writers do not put the lock. Such writers break
// the gain rule (docs/truth.md §1).
func (a *Answers) Unlocked() bool {
	if a == nil {
		return false
	}
	a.mu.RLock()
	defer a.mu.RUnlock()
	return slices.ContainsFunc(a.holders, func(h Holder) bool { return !h.PutsLock })
}

// BreaksGainRule reports whether an account or another item can gain a value without putting the lock. This is possible
// if the constraint has Moves, or if the writers of a holder do not put the lock.
func (c *Constraint) BreaksGainRule() bool { return c.Moves || c.Answers.Unlocked() }

// AnyWord is the wildcard of a shape. Place.Exact says which words the wildcard matches.
const AnyWord = "*"

// ShapeSeparators are the characters between the words of a shape.
const ShapeSeparators = "#:/|_&,;=<>()[]{}\"' \t"

func isSeparator(token string) bool {
	return len(token) == 1 && strings.Contains(ShapeSeparators, token)
}

// shapeTokens splits a shape into words and separators.
func shapeTokens(shape string) (tokens []string) {
	for shape != "" {
		end := strings.IndexAny(shape, ShapeSeparators)
		switch {
		case end < 0:
			return append(tokens, shape)
		case end > 0:
			tokens = append(tokens, shape[:end])
		}
		tokens, shape = append(tokens, shape[end:end+1]), shape[end+1:]
	}
	return tokens
}

// With returns a copy of the account with only these constraints, and without derived keys.
// unlocked are the rules without locks.
func (a *Account) With(constraints, unlocked []*Constraint) *Account {
	one := *a
	one.Constraints, one.Unlocked, one.Derived = constraints, unlocked, nil
	return &one
}

// Put adds the constraints and counters of accepted layouts to l. A new constraint replaces the
// constraint with the same name or the same lock keys, and guesses that are special cases of it. A new
// counter replaces the counter with the same keys and attribute.
func (l *Layout) Put(accepted ...*Layout) {
	if len(accepted) == 0 {
		return
	}
	put := map[*Constraint]bool{}
	for _, one := range accepted {
		for _, a := range one.Accounts {
			for _, c := range slices.Concat(a.Constraints, a.Unlocked) {
				l.put(a, c)
				put[c] = true
			}
		}
		for _, c := range one.Counters {
			l.putCounter(c)
		}
		l.Name = cmp.Or(l.Name, one.Name)
	}
	l.dropParts(func(c *Constraint) bool { return !put[c] && !c.State.Sure() })
}

func (l *Layout) put(a *Account, c *Constraint) {
	same := func(other *Constraint) bool {
		return other != c && (other.Name == c.Name || !c.Lockless() && other.PK.text == c.PK.text &&
			other.SK.text == c.SK.text && other.Table == c.Table)
	}
	at := slices.IndexFunc(l.Accounts, func(other *Account) bool {
		return other.PK.text == a.PK.text && other.SK.text == a.SK.text && other.Is == a.Is
	})
	if at < 0 {
		at, l.Accounts = len(l.Accounts), append(l.Accounts, a.With(nil, nil))
	}
	to := l.Accounts[at]
	to.Model, to.Version = a.Model, a.Version
	list := &to.Constraints
	if c.Lockless() {
		list = &to.Unlocked
	}
	if n := slices.IndexFunc(*list, same); n >= 0 {
		(*list)[n] = c
	} else {
		*list = append(*list, c)
	}
	for _, other := range l.Accounts {
		other.Constraints = slices.DeleteFunc(other.Constraints, same)
		other.Unlocked = slices.DeleteFunc(other.Unlocked, same)
	}
	l.dropEmpty()
}

// dropEmpty drops the accounts without constraints.
func (l *Layout) dropEmpty() {
	l.Accounts = slices.DeleteFunc(l.Accounts, func(a *Account) bool { return len(a.Constraints)+len(a.Unlocked) == 0 })
}

// dropParts drops guessed constraints that are special cases of others.
func (l *Layout) dropParts(guessed func(*Constraint) bool) {
	type rule struct {
		account    *Account
		constraint *Constraint
	}
	var sure []rule
	for _, a := range l.Accounts {
		for _, c := range a.Constraints {
			if !guessed(c) {
				sure = append(sure, rule{a, c})
			}
		}
	}
	for _, kind := range l.Accounts {
		kind.Constraints = slices.DeleteFunc(kind.Constraints, func(guess *Constraint) bool {
			return guessed(guess) && slices.ContainsFunc(sure, func(r rule) bool {
				return isPartOf(kind, guess, r.account, r.constraint)
			})
		})
	}
	l.dropEmpty()
}

// isPartOf reports whether a constraint, part of the account kind, is a special case of the constraint c of a: its
// templates have words, such as a tenant's name, where the templates of c have variables.
func isPartOf(kind *Account, part *Constraint, a *Account, c *Constraint) bool {
	return part.Attribute == c.Attribute && part.Table == c.Table && part.Is == c.Is && kind.Is == a.Is &&
		a.PK.covers(kind.PK) && a.SK.covers(kind.SK) && c.PK.covers(part.PK) && c.SK.covers(part.SK)
}

// covers reports whether all keys of the template special are keys of t, too.
func (t Template) covers(special Template) bool {
	return t.text == special.text || !t.Empty() && t.Fits(special.text)
}

func (l *Layout) putCounter(c *Counter) {
	n := slices.IndexFunc(l.Counters, func(other *Counter) bool {
		return other.PK.text == c.PK.text && other.SK.text == c.SK.text && other.Attribute == c.Attribute
	})
	if n < 0 {
		l.Counters = append(l.Counters, c)
		return
	}
	l.Counters[n] = c
}

// Clone returns a copy of the layout with its own constraints and counters. The Answers of the copy
// are empty.
func (l *Layout) Clone() *Layout {
	n := &Layout{
		Name: l.Name, Preset: l.Preset, Keyed: l.Keyed, WrittenIn: l.WrittenIn, Configured: l.Configured, Ignore: l.Ignore,
	}
	clone := func(all []*Constraint) (out []*Constraint) {
		for _, c := range all {
			one := *c
			one.Answers = new(Answers)
			out = append(out, &one)
		}
		return out
	}
	for _, a := range l.Accounts {
		one := *a
		one.Constraints, one.Unlocked = clone(a.Constraints), clone(a.Unlocked)
		n.Accounts = append(n.Accounts, &one)
	}
	for _, c := range l.Counters {
		one := *c
		n.Counters = append(n.Counters, &one)
	}
	return n
}

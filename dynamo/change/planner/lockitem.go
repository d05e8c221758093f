package planner

import (
	"cmp"
	"maps"
	"slices"
	"strings"
	"unicode"

	"tallylock/dynamo"
	"tallylock/dynamo/attr"
	"tallylock/dynamo/change/plan"
	"tallylock/dynamo/layout"
	"tallylock/dynamo/schema"
	"tallylock/dynamo/verdict"
)

// pattern describes the attributes that the locks of a constraint have, apart from their keys and the attributes
// that the layout describes.
type pattern struct {
	constants attr.Item // the attributes with the same value in all locks
	repeats   map[string]repeat
	leftOut   []string // the attributes of other locks that a new lock does not get
	adopted   bool     // a backfill has put one of these locks
	few       bool     // fewer than minHeld locks are known, so a new lock gets none of their attributes
	// owner is an example of a lock's owner attribute; no value if none was read. nameless is set if enough
	// locks were read and none names an account.
	owner    attr.Value
	nameless bool
}

// repeat describes an attribute that contains the lock's value, alone or between fixed texts. In
// "MAIL#ada@lovelace.io" the text before the value is "MAIL#".
type repeat struct {
	kind          attr.Kind
	before, after string
}

// minHeld is the minimum number of locks, each of another account, to learn from. With fewer locks, a new lock gets
// none of their shared attributes. minNameless is the minimum number of locks that must lack an owner before a new
// lock gets no owner.
const (
	minHeld     = 5
	minNameless = 2
)

// learnPattern derives the pattern of a constraint's locks from the locks that accounts held when the table was
// opened.
func learnPattern(t *dynamo.Table, c *layout.Constraint) pattern {
	held := t.Fit.Of(c).HeldLocks
	p := pattern{
		constants: attr.Item{}, repeats: map[string]repeat{}, few: len(held) < minHeld, adopted: adopted(t, c, nil),
	}
	if p.owner = commonOwner(c, held); !p.owner.Exists() {
		for _, other := range t.Layout.Constraints() {
			if other.Owner == c.Owner && !p.owner.Exists() {
				p.owner = commonOwner(c, t.Fit.Of(other).HeldLocks)
			}
		}
	}
	p.nameless = !p.owner.Exists() && len(held) >= minNameless
	schema := t.LockSchema(c)
	names := map[string]bool{}
	for _, lock := range held {
		for name := range lock {
			names[name] = true
		}
	}
	for _, name := range slices.Sorted(maps.Keys(names)) {
		described := schema.IsKey(name) || name == c.Owner || name == c.Is.Attribute
		if !described && !strings.HasPrefix(name, markPrefix) && !strings.HasPrefix(name, replicationPrefix) {
			p.addAttribute(t, c, held, name)
		}
	}
	return p
}

// markPrefix is the prefix of the attributes that this program writes. replicationPrefix is the prefix of the
// attributes that DynamoDB writes in a global table of version 2017.
const (
	markPrefix        = "tallylock_"
	replicationPrefix = "aws:rep:"
)

// commonOwner returns the owner attribute of one of the locks, as an example. The example has the most frequent
// type.
func commonOwner(c *layout.Constraint, locks []attr.Item) (most attr.Value) {
	count := map[attr.Kind]int{}
	if c.Owner == "" {
		return most
	}
	for _, lock := range locks {
		if v := lock.At(c.Owner); v.Scalar() {
			if count[v.Kind]++; count[v.Kind] > count[most.Kind] {
				most = v
			}
		}
	}
	return most
}

// addAttribute sorts one attribute of the known locks into constants, repeats or leftOut.
func (p *pattern) addAttribute(t *dynamo.Table, c *layout.Constraint, locks []attr.Item, name string) {
	schema := t.LockSchema(c)
	alike, repeats, scope := true, true, false
	var frame repeat
	for n, lock := range locks {
		v := lock[name]
		alike = alike && v.Equal(locks[0][name])
		key, _ := schema.KeyOf(lock)
		value, vars, _ := c.ParseLock(schema, key)
		own, besides := repeat{kind: v.Kind}, v.Text // besides is the text without the value
		switch at := segment(v.Text, value); {
		case c.Normalised(v.Text) == value:
			besides = ""
		case at < 0:
			repeats = false
		default:
			own.before, own.after = v.Text[:at], v.Text[at+len(value):]
			besides = own.before + own.after
		}
		for _, text := range vars { // an attribute that contains the scope differs between scopes
			scope = scope || text != "" && strings.Contains(besides, text)
		}
		if n == 0 {
			frame = own
		}
		repeats = repeats && v.Scalar() && own == frame
	}
	switch {
	case repeats && !scope && !p.few:
		p.repeats[name] = frame
	case alike && !scope && !p.few && !individual(name, locks[0][name]) && !namesAccount(t, c, locks[0][name]):
		p.constants[name] = locks[0][name]
	default:
		p.leftOut = append(p.leftOut, name)
	}
}

// individual reports whether an attribute looks like an owner, a time or an id. A new lock does not get such an
// attribute, even if all known locks share it.
func individual(name string, v attr.Value) bool {
	low := strings.ToLower(name)
	if strings.Contains(low, "owner") || strings.Contains(low, "holder") {
		return true
	}
	for _, end := range []string{
		"id", "ids", "user", "account", "member", "customer", "tenant", "by", "ttl", "expires", "expiry", "expiration",
	} {
		if strings.HasSuffix(low, end) {
			return true
		}
	}
	for _, text := range append(slices.Clone(v.Set), v.Text) {
		digits := 0
		for _, r := range text {
			if unicode.IsDigit(r) {
				digits++
			}
		}
		if digits > 3 || strings.Contains(text, "@") || layout.Unreadable(text) {
			return true
		}
	}
	for name, e := range v.Map {
		if individual(name, e) {
			return true
		}
	}
	return layout.IsTime(v) || slices.ContainsFunc(v.List, func(e attr.Value) bool { return individual("", e) })
}

// namesAccount reports whether a value, or a part of it, begins with the prefix of an account's key.
func namesAccount(t *dynamo.Table, c *layout.Constraint, v attr.Value) bool {
	for _, kind := range t.KindsOf(c) {
		names := func(text string) bool { return kind.PK.Prefix() != "" && strings.HasPrefix(text, kind.PK.Prefix()) }
		if names(v.Text) || slices.ContainsFunc(v.Set, names) {
			return true
		}
	}
	return slices.ContainsFunc(v.List, func(e attr.Value) bool { return namesAccount(t, c, e) }) ||
		slices.ContainsFunc(slices.Collect(maps.Values(v.Map)), func(e attr.Value) bool { return namesAccount(t, c, e) })
}

// lock returns a new lock that follows the pattern. An attribute that holds only the value gets the account's
// spelling; the lock's key has the normalised spelling.
func (p pattern) lock(t *dynamo.Table, kind *layout.Account, claim layout.Claim, a *schema.Account) (attr.Item, error) {
	c := claim.Constraint
	item := claim.Key.Item()
	maps.Copy(item, p.constants)
	for name, r := range p.repeats {
		text := claim.Raw
		if r.before+r.after != "" {
			text = r.before + claim.Value + r.after
		}
		item[name] = attr.Value{Kind: r.kind, Text: text}
	}
	if c.Is.Attribute != "" {
		item = plan.WithAttribute(item, c.Is.Attribute, attr.String(c.Is.Value))
	}
	if c.Owner == "" || p.nameless {
		return item, nil
	}
	name, err := ownerLike(kind, c, p.owner, a)
	if err != nil {
		return nil, err
	}
	item = plan.WithAttribute(item, c.Owner, name)
	named := &verdict.Relation{
		Constraint: c,
		Value:      claim.Value,
		Lock:       schema.Lock{Table: t.LockTable(c), Key: claim.Key, Item: item, Owner: c.OwnerOf(item)},
	}
	if !t.Names(named.Constraint, named.Lock, a) {
		return nil, plan.Refuse(plan.Incomplete,
			"a lock cannot name %s as its owner: by the layout, the owner \"%s\" is not this account", a.Key,
			named.Lock.Owner)
	}
	return item, nil
}

// ownerLike returns an owner attribute that names an account: in the form of owner_form, or like the given owner of
// another lock. The attribute has the account's whole key or its id, as a string or a number. ownerLike returns a
// *plan.Refusal if locks name their owners by numbers and the account's name is no number. It also refuses a number
// that DynamoDB would store with other digits, since the stored number would name nobody or another account.
func ownerLike(
	kind *layout.Account, c *layout.Constraint, like attr.Value, a *schema.Account,
) (attr.Value, error) {
	text := kind.OwnerLike(c, like.Text, a.ID, a.Key)
	of := attr.S
	if text == a.Key.Hash.Value.Text {
		of = a.Key.Hash.Value.Kind
	}
	name := attr.Value{Kind: cmp.Or(like.Kind, of), Text: text}
	if name.Kind != attr.N {
		return name, nil
	}
	switch kept, ok := attr.Decimal(text); {
	case !ok:
		return name, plan.Refuse(plan.Incomplete, "the locks name their accounts by numbers, but \"%s\" of %s is not a number", text, a.Key)
	case kept != text:
		return name, plan.Refuse(plan.Incomplete,
			"the locks name their accounts by numbers, but DynamoDB would change \"%s\" of %s to %s", text,
			a.Key, kept)
	}
	return name, nil
}

// renew returns a copy of an account's lock, with the attributes that depend on the value rewritten for another
// value, and without the marks of a release and of a backfill.
func (p pattern) renew(keys attr.Schema, old attr.Item, from, to layout.Claim) attr.Item {
	item := to.Key.Item()
	for name, v := range old {
		if keys.IsKey(name) || name == schema.MarkAttribute || name == schema.AdoptAttribute {
			continue
		}
		if _, constant := p.constants[name]; !constant && name != from.Constraint.Owner &&
			name != from.Constraint.Is.Attribute {
			switch {
			case v.Kind == attr.S:
				v.Text = respell(v.Text, from, to)
			case p.holdsValue(name, v, from):
				number, ok := attr.Decimal(to.Raw)
				switch v.Text = to.Raw; {
				case v.Kind == attr.N && !ok:
					continue
				case v.Kind == attr.N:
					v.Text = number
				}
			}
		}
		item[name] = v
	}
	return item
}

// holdsValue reports whether an attribute of a lock is a number or bytes, and holds the lock's value.
func (p pattern) holdsValue(name string, v attr.Value, from layout.Claim) bool {
	text := v.Text
	switch frame, repeats := p.repeats[name]; {
	case v.Kind != attr.N && v.Kind != attr.B,
		name != from.Constraint.Attribute && (!repeats || frame.before+frame.after != ""):
		return false
	case v.Kind == attr.N:
		text = attr.CanonicalNumber(text)
	}
	return from.Constraint.Normalised(text) == from.Value
}

// respell replaces the old value of an account in a text by the new value, and the old lock's key by the new lock's
// key. The new value is in the normalised spelling if the old value was, and otherwise in the account's spelling.
func respell(text string, from, to layout.Claim) string {
	for _, pair := range [][2]string{
		{from.Key.Hash.Value.Text, to.Key.Hash.Value.Text},
		{from.Key.Range.Value.Text, to.Key.Range.Value.Text},
		{from.Raw, to.Raw},
		{from.Value, to.Value},
	} {
		if pair[0] != "" && text == pair[0] {
			return pair[1]
		}
	}
	if from.Constraint.Normalised(text) == from.Value { // another spelling of the old value
		return to.Raw
	}
	for _, pair := range [][2]string{{from.Value, to.Value}, {from.Raw, to.Raw}} {
		if at := segment(text, pair[0]); at >= 0 {
			return text[:at] + pair[1] + text[at+len(pair[0]):]
		}
	}
	return text
}

// segment returns the index of part in a text, if key separators or the ends of the text enclose it; otherwise
// -1.
func segment(text, part string) int {
	const separators = "#:/|"
	if part == "" {
		return -1
	}
	for from := 0; ; {
		at := strings.Index(text[from:], part)
		if at < 0 {
			return -1
		}
		at += from
		end := at + len(part)
		if (at == 0 || strings.ContainsRune(separators, rune(text[at-1]))) &&
			(end == len(text) || strings.ContainsRune(separators, rune(text[end]))) {
			return at
		}
		from = at + 1
	}
}

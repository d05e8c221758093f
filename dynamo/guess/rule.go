package guess

import (
	"cmp"
	"maps"
	"regexp"
	"slices"
	"strings"

	"tallylock/dynamo/layout"
	"tallylock/dynamo/layout/config"
)

// rule is a hypothesis: locks of a certain form keep the values of an attribute unique. It counts the
// evidence.
type rule struct {
	kind       *kind
	path       string
	table      *table
	account    *layout.Account
	constraint *layout.Constraint
	config     config.Constraint

	claims  int // claims of the items, if the sample shows whether their lock exists
	values  int // different lock keys among these claims
	locks   map[*entry]bool
	holders map[*entry]*entry // the account of each lock
	all     int               // items of the sample that look like locks of this rule
	// asked counts the locks that a probe looked for, and answered the locks that it found. In an
	// incomplete sample, only a probe shows that a lock is missing.
	asked, answered int

	owned  int  // locks that name their account
	opaque bool // the locks hold foreign data (see holdsMore)

	taught    bool       // a person has pointed at an account and its lock
	value     string     // if taught: the text in that lock's key that represents the value
	alike     [][]string // other chains that change all sampled values as this rule's chain does
	repeats   bool       // many accounts would share a lock
	different int        // the number of different values
	takes     bool       // accounts look like locks
}

// hits counts the existing locks of the items' values.
func (r *rule) hits() int { return len(r.locks) }

// rule makes the rule of a proposal and counts its evidence. It returns nil if the rule would be invalid, or if nothing
// distinguishes its accounts from other items.
func (s *Search) rule(k *kind, path string, p *proposal, c chain) *rule {
	r := newRule(k, path, p, c, s.own)
	if !r.build() || !s.setApart(r) {
		return nil
	}
	if s.count(r); r.takesAccounts() {
		if !r.discriminate() {
			return nil
		}
		s.count(r)
	}
	r.findOwner()
	r.opaque = r.holdsMore()
	return r
}

// newRule makes a rule without evidence. own is the table of the accounts.
func newRule(k *kind, path string, p *proposal, c chain, own *table) *rule {
	cc := config.Constraint{
		Name: path, Attribute: path, PK: templateOf(p.pk), SK: templateOf(p.sk), Normalise: c.names(),
	}
	if p.table != own {
		cc.Table = p.table.Name
	}
	return &rule{kind: k, path: path, table: p.table, config: cc}
}

// setApart finds an attribute that distinguishes the rule's accounts from strays. A stray is another item
// with such a value and a key of the same template: the key {id} also matches order:17. setApart reports
// false if there are many strays and no attribute distinguishes them.
func (s *Search) setApart(r *rule) bool {
	own, is := r.kind.entries, map[*entry]bool{}
	for _, e := range own {
		is[e] = true
	}
	var strays []*entry
	for _, e := range s.own.entries {
		if is[e] || len(e.texts[r.path]) == 0 || r.table == s.own && r.isLock(e) {
			continue
		}
		if _, ok := r.account.Matches(s.own.Schema, e.item); ok {
			strays = append(strays, e)
		}
	}
	if len(strays) <= max(1, len(own)/missingShare) {
		return true
	}
	if len(own) == 1 && !r.taught {
		return false // any attribute of a single item distinguishes it
	}
	apart := *r.kind
	if apart.is = tellsApart(own, strays); apart.is == nil {
		return false
	}
	r.kind = &apart
	return r.build()
}

// tellsApart finds an attribute that has the same text in all entries of the first list and in none
// of the second; nil if there is none.
func tellsApart(some, others []*entry) *config.Discriminator {
	for _, path := range some[0].paths {
		v := some[0].text(path)
		if v != "" && !strings.ContainsAny(path, "{}") &&
			!slices.ContainsFunc(some, func(e *entry) bool { return e.text(path) != v }) &&
			!slices.ContainsFunc(others, func(e *entry) bool { return e.text(path) == v }) {
			return &config.Discriminator{Attribute: path, Value: v}
		}
	}
	return nil
}

// takesAccounts reports whether an account of the rule also looks like a lock of the rule.
func (r *rule) takesAccounts() bool {
	return slices.ContainsFunc(r.kind.entries, func(e *entry) bool {
		return e.of == r.table && r.isLock(e)
	})
}

// isLock reports whether an item of the locks' table looks like a lock of this rule, by its key and its
// discriminator.
func (r *rule) isLock(e *entry) bool {
	_, _, ok := r.constraint.ParseLock(r.table.Schema, e.key)
	return ok && r.constraint.Is.Holds(e.item)
}

// discriminate finds an attribute that distinguishes the locks from the accounts. It reports false
// if there is none.
func (r *rule) discriminate() bool {
	if len(r.locks) < 2 && !(r.taught && len(r.locks) == 1) {
		return false
	}
	r.config.Is = tellsApart(slices.SortedFunc(maps.Keys(r.locks), byKey), r.kind.entries)
	return r.config.Is != nil && r.build()
}

func byKey(a, b *entry) int { return strings.Compare(a.key.ID(), b.key.ID()) }

// build makes an account and a constraint of package layout from the rule's config. With them, count uses
// the same code as the rest of the program. build reports false if the config is invalid.
func (r *rule) build() bool {
	l, err := config.Layout{Name: "inferred", Accounts: []config.Account{{
		PK: r.kind.pk, SK: r.kind.sk, Is: r.kind.is, Constraints: []config.Constraint{r.config},
	}}}.Build()
	if err != nil {
		return false
	}
	r.account = l.Accounts[0]
	r.constraint = r.account.Constraints[0]
	return true
}

func (s *Search) count(r *rule) {
	r.claims, r.values, r.all, r.owned, r.asked, r.answered = 0, 0, 0, 0, 0, 0
	r.locks, r.holders = map[*entry]bool{}, map[*entry]*entry{}
	keys := map[string]bool{}
	for _, e := range r.kind.entries {
		for _, claim := range r.account.AppendClaimsOf(nil, r.constraint, s.own.Name, s.schemaOf, e.item) {
			if claim.Err != nil || !r.taught && r.table == s.own && r.kind.within(e, claim.Key.Hash.Value.Text) {
				continue
			}
			id := claim.Key.ID()
			lock, known := r.table.has(id)
			if !known {
				continue
			}
			r.claims++
			if !keys[id] {
				keys[id] = true
				r.values++
				if r.table.asked[id] {
					r.asked++
					r.answered += boolean(lock != nil)
				}
			}
			if lock != nil && !r.locks[lock] {
				r.locks[lock], r.holders[lock] = true, e
			}
		}
	}
	for _, e := range r.table.entries {
		if r.isLock(e) {
			r.all++
		}
	}
}

// findOwner finds the attribute in which at least four of five locks name their account.
func (r *rule) findOwner() {
	counts := map[string]int{}
	for lock, e := range r.holders {
		id, ok := r.account.Matches(e.of.Schema, e.item)
		if !ok {
			continue
		}
		for path := range lock.item {
			if text := lock.text(path); text != "" && (text == id || text == e.hash) {
				counts[path]++
			}
		}
	}
	best := ""
	for _, path := range sortedKeys(counts) {
		if counts[path] > counts[best] || counts[path] == counts[best] && ownerLike(path) && !ownerLike(best) {
			best = path
		}
	}
	if counts[best] > 0 && 5*counts[best] >= 4*len(r.locks) {
		r.owned = counts[best]
		r.config.Owner = best
		r.build()
	}
}

func ownerLike(path string) bool {
	low := strings.ToLower(path)
	return strings.Contains(low, "owner") || strings.Contains(low, "user") || strings.Contains(low, "account") ||
		strings.HasSuffix(low, "id")
}

// choose picks the rules that explain the locks best. It picks one rule for each form of lock keys, or
// several if several kinds of accounts share this form.
func (s *Search) choose(all []*rule) []*rule {
	order(all)
	c := &choice{locks: map[*entry]bool{}, accounts: map[*entry]bool{}}
	for _, r := range all {
		if c.gains(r, s.own.Whole && r.table.Whole) && !c.contradicts(r) {
			c.take(r)
		}
	}
	return c.rules
}

// choice holds the chosen rules, and the locks and accounts that they explain.
type choice struct {
	rules           []*rule
	locks, accounts map[*entry]bool
}

func (c *choice) take(r *rule) {
	c.rules = append(c.rules, r)
	for lock, e := range r.holders {
		c.locks[lock], c.accounts[e] = true, true
	}
}

// contradicts reports whether a rule disagrees with the chosen rules in more than a fifth of its pairs. In such a pair,
// the lock is an account of a chosen rule, or the account is a lock of a chosen rule.
func (c *choice) contradicts(r *rule) bool {
	n := 0
	for lock, e := range r.holders {
		if c.accounts[lock] || c.locks[e] {
			n++
		}
	}
	return 5*n > len(r.holders)
}

// gains reports whether a rule explains enough locks that no chosen rule explains. If a chosen rule has the
// same kind and the same form of lock keys, gains marks both rules as shared. The parameter whole says that
// the samples hold all items of the rule's tables.
func (c *choice) gains(r *rule, whole bool) bool {
	own := 0 // locks that no chosen rule explains
	for lock := range r.locks {
		if !c.locks[lock] {
			own++
		}
	}
	if 5*own < 4*len(r.locks) {
		return false
	}
	for _, other := range c.rules {
		switch {
		case other.place() != r.place():
			if other.kind == r.kind && other.path == r.path && 10*r.hits() < 9*r.values {
				return false // these are not locks but other data about some of the values
			}
		case own < 2 || other.kind == r.kind && other.path == r.path:
			return false
		case !whole && other.kind != r.kind && (other.owned == 0 || r.owned == 0):
			return false // in partial samples, items of two kinds may hold the same values
		case other.kind == r.kind:
			other.config.Shared, r.config.Shared = true, true
		}
	}
	return true
}

// place returns a text that identifies the table and the form of a rule's lock keys. Rules with the same
// place have the same locks.
func (r *rule) place() string {
	return r.table.Name + "\x00" + r.config.PK + "\x00" + r.config.SK
}

// order sorts rules, the best explanation of their locks first. Rules whose locks name their accounts come first. The
// number of existing locks has less weight.
func order(all []*rule) {
	likely := map[*rule]int{}
	for _, r := range all {
		likely[r] = r.direction()
	}
	slices.SortStableFunc(all, func(a, b *rule) int {
		return cmp.Or(
			cmp.Compare(boolean(b.owned > 0), boolean(a.owned > 0)),
			cmp.Compare(likely[b], likely[a]),
			cmp.Compare(boolean(called(b)), boolean(called(a))),
			cmp.Compare(b.hits(), a.hits()),
			cmp.Compare(boolean(a.kind.is != nil), boolean(b.kind.is != nil)),
			cmp.Compare(a.values-a.hits(), b.values-b.hits()),
			cmp.Compare(len(a.config.Normalise), len(b.config.Normalise)),
			cmp.Compare(len(a.path), len(b.path)), strings.Compare(a.path, b.path),
			strings.Compare(a.kind.pk+a.kind.sk, b.kind.pk+b.kind.sk),
		)
	})
}

// called reports whether a part of the locks' keys is the name of the attribute, and nearly all values have a lock. The
// keys _unique#User#uniqueEmail#{v} speak for the attribute uniqueEmail, even if more locks fit the attribute email.
func called(r *rule) bool {
	return r.values-r.hits() <= max(1, r.values/missingShare) &&
		slices.ContainsFunc(strings.FieldsFunc(r.config.PK+"#"+r.config.SK, isKeySeparator),
			func(part string) bool { return strings.EqualFold(part, r.path) })
}

func isKeySeparator(c rune) bool { return strings.ContainsRune(separators, c) }

func boolean(b bool) int {
	if b {
		return 1
	}
	return 0
}

// If locks name their accounts, locks and accounts look alike: each holds the parts of the other's key. The following
// code distinguishes them.

// opaqueID matches ids that nobody types: UUIDs, ULIDs, digests and other tokens.
var opaqueID = regexp.MustCompile(
	`^([0-9a-fA-F]{8}-[0-9a-fA-F-]{27}|[0-9A-HJKMNP-TV-Z]{26}|[0-9a-f]{16,64}|[0-9A-Za-z_-]{20,32})$`,
)

// serial matches a number. Such a text is no opaque id, since a number may be a value from outside the
// application.
var serial = regexp.MustCompile(`^[0-9]+$`)

// unlike removes words that contain one of lockWords but mean something else.
var unlike = strings.NewReplacer("block", "", "clock", "")

// lockWords are parts of words in the keys and attributes of locks. Keys and attributes of accounts
// do not have them.
var lockWords = []string{"uniq", "lock", "claim", "reserv", "constraint", "taken"}

// direction scores the likelihood that the rule's items are the accounts and not the locks. If the score is negative,
// the items are more likely the locks.
func (r *rule) direction() int {
	score, opaque, addresses, more := 0, 0, 0, 0
	for lock, e := range r.holders {
		for _, text := range e.texts[r.path] {
			if opaqueID.MatchString(text) && !serial.MatchString(text) {
				opaque++
			}
			if strings.Contains(text, "@") {
				addresses++
			}
		}
		if len(e.item) > len(lock.item) {
			more++
		} else if len(e.item) < len(lock.item) {
			more--
		}
	}
	n := len(r.holders)
	if 2*addresses > n {
		score += 2
	}
	if 2*opaque > n {
		score -= 3
	}
	if strings.HasSuffix(strings.ToLower(r.path), "id") {
		score--
		if r.owned == 0 {
			score--
		}
	}
	if 2*more > n {
		score++
	}
	if r.saysLock() {
		score += 2
	}
	return score
}

// saysLock reports whether the locks' keys, attributes or table name have a word for locks.
func (r *rule) saysLock() bool {
	var names []string
	if len(r.locks) > 0 {
		names = slices.SortedFunc(maps.Keys(r.locks), byKey)[0].item.Names()
	}
	texts := append(names, r.config.PK, r.config.SK, r.config.Table)
	low := unlike.Replace(strings.ToLower(strings.Join(texts, " ")))
	return slices.ContainsFunc(lockWords, func(word string) bool { return strings.Contains(low, word) })
}

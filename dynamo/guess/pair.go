package guess

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"unicode"

	"tallylock/dynamo/attr"
	"tallylock/dynamo/layout"
	"tallylock/dynamo/layout/config"
)

// Pair is an account and the lock of one of its values. A person has pointed at both.
type Pair struct {
	Account, Lock attr.Item
	LockTable     string // the name of the lock's table
}

// Explanation is a rule that explains a pair: under this rule, the account claims exactly the lock.
type Explanation struct {
	// Account is the kind of account, with one constraint.
	Account config.Account
	// Values counts the locks that sampled accounts should have, as far as the sample shows whether they exist.
	// Hits counts the locks that exist. Unclaimed counts other items with such keys.
	Values, Hits, Unclaimed int
	// Accounts counts the sampled items of the kind.
	Accounts int
	// Value is the text in the lock's key that represents the value. It is a digest if the value is hashed.
	Value string
	// Different counts the different values of the attribute in the sample.
	Different int
	// Repeats is set if many sampled accounts would share a lock. Then the attribute does not hold values that locks keep
	// unique.
	Repeats bool
	// TakesAccounts is set if the accounts look like locks, and no attribute distinguishes locks from accounts. No layout
	// has such a rule.
	TakesAccounts bool
	// Alike lists other normalisations that give the same texts for all sampled values.
	Alike [][]string
	// Also lists other forms of the lock's key. Only the likeliest rules have them.
	Also []Form
	// Times lists the attributes of the lock that may say when it was put.
	Times []string
	// Owners lists the attributes in which the lock may name its account, the likeliest first.
	Owners []Owner
}

// Undecided reports whether the sample hardly distinguishes the likelier rule x from the rule y.
func (x Explanation) Undecided(y Explanation) bool {
	near := func(a, b int) bool { return a-b < layout.EnoughBetter && b-a < layout.EnoughBetter }
	part := len(y.Value) < len(x.Value) && strings.Contains(x.Value, y.Value) // such as user of user@x.org
	return near(x.Hits, y.Hits) && near(x.Values-x.Hits, y.Values-y.Hits) && !part &&
		x.Different-y.Different < layout.EnoughBetter
}

// PartOf reports whether the text of x in the lock's key is only a part of the text of the rule y, such as ada of
// ada@example.org. A word before a separator, such as EMAIL# of EMAIL#ada@example.org, is not a part of the value. So
// PartOf returns false for such texts.
func (x Explanation) PartOf(y Explanation) bool {
	before, after, within := strings.Cut(y.Value, x.Value)
	return within && before+after != "" && (after != "" || !strings.ContainsAny(before[len(before)-1:], separators))
}

// Owner is an attribute of a lock that may name the lock's account.
type Owner struct {
	Attribute, Form string // Form is empty if the text of the attribute is the account's id or its partition key
	Right, Locks    int    // Right counts the sampled locks that name their account in this attribute
}

// Explain lists the rules that explain a pair, the likeliest first. For each rule, it counts the other accounts
// and locks in the samples that the rule explains. Unlike Accounts, it has no objections: a person has said
// that the pair is an account and its lock. The samples must contain the lock's table. Explain reads keys
// through the probe to compare the rules, unless the probe is nil. Equal samples give equal answers.
func Explain(ctx context.Context, own Sample, others []Sample, p Pair, probe Probe) ([]Explanation, error) {
	s, e, lock := searchFor(own, others, p)
	if e == nil || lock == nil || e == lock {
		return nil, nil
	}
	rules := s.explain(e, lock)
	if probe != nil && len(rules) > 0 {
		added, err := s.compare(ctx, rules, probe)
		if err != nil {
			return nil, err
		}
		if added {
			s.kinds()
			rules = s.explain(e, lock)
		}
	}
	var all []Explanation
	for n, r := range rules {
		x := r.explanation(s, lock)
		if n < formedRules && !r.takes {
			x.Also = s.otherForms(r)
		}
		all = append(all, x)
	}
	return all, nil
}

// searchFor returns a search of the samples and of the pair's items, with their entries. An entry is nil if the
// search cannot use the item: its key is incomplete or binary, or no sample is of its table.
func searchFor(own Sample, others []Sample, p Pair) (s *Search, account, lock *entry) {
	s = &Search{}
	s.own, account = withItem(own, p.Account)
	s.tables = []*table{s.own}
	if p.LockTable == own.Name {
		lock = s.own.include(p.Lock)
	}
	for _, other := range others {
		t := newTable(other)
		s.tables = append(s.tables, t)
		if p.LockTable == other.Name {
			lock = t.include(p.Lock)
		}
	}
	s.kinds()
	return s, account, lock
}

// kinds finds the kinds of items that a pair needs. It must run again after items were added.
func (s *Search) kinds() {
	s.chains, s.spelt, s.accounts = everyChain, map[string][]spelling{}, kinds(s.own)
}

func withItem(sample Sample, item attr.Item) (*table, *entry) {
	t := newTable(sample)
	return t, t.include(item)
}

// include adds an item to the table, and returns its entry. It returns nil for an item that add ignores.
func (t *table) include(item attr.Item) *entry {
	k, ok := t.Schema.KeyOf(item)
	if !ok {
		return nil
	}
	t.add(item)
	e := t.known[k.ID()]
	if e != nil && !slices.Contains(t.entries, e) { // newTable may have thinned it out
		t.entries, t.shaped = append(t.entries, e), nil
	}
	return e
}

// everyChain lists the chains that are tried with a pair, the simplest first. One pair is tried quickly, so there are
// more chains than chainsFor lists for a whole sample.
var everyChain = func() []chain {
	spellings := append(slices.Clone(plainChains), chain{"trim", "upper"}, chain{"trim", "nfc"}, chain{"trim", "nfkc"},
		chain{"trim", "nfc", "lower"}, chain{"nfc", "upper"}, chain{"nfkc", "upper"})
	all := append(slices.Clone(spellings), chain{"dynamoflow"}, chain{"trim", "dynamoflow"})
	for _, last := range []layout.Normaliser{"sha256", "percent", "base64", "base64url"} {
		for _, spelling := range spellings {
			all = append(all, append(slices.Clone(spelling), last))
		}
	}
	return all
}()

// explain lists the rules that explain a pair, the likeliest first.
func (s *Search) explain(account, lock *entry) []*rule {
	all := s.explainIn(account, lock, false)
	usable := slices.ContainsFunc(all, func(r *rule) bool { return !r.takes })
	if !usable && slices.ContainsFunc(strings.FieldsFunc(lock.hash+"#"+lock.sort, notAlphanumeric), hexDigest) {
		all = append(s.explainIn(account, lock, true), all...)
	}
	return all
}

func notAlphanumeric(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) }

// explainIn lists the rules that explain a pair, the likeliest first. If digests is set, the lock's key must contain a
// digest of words and the value. Otherwise it must contain the value.
func (s *Search) explainIn(account, lock *entry, digests bool) (all []*rule) {
	for _, k := range s.kindsOf(account, lock) {
		seen := map[string]bool{}
		for _, path := range valuePaths(account) {
			for _, text := range layout.Texts(account.item.At(path)) {
				for _, r := range s.explainBy(k, account, lock, path, text, digests) {
					if id := r.identity(); !seen[id] {
						seen[id] = true
						all = append(all, r)
					}
				}
			}
		}
	}
	slices.SortStableFunc(all, likelier)
	return all
}

// identity returns a text that differs between rules of one kind.
func (r *rule) identity() string {
	return strings.Join(append([]string{r.path, r.place()}, r.config.Normalise...), "\x00")
}

// likelier orders rules by the evidence in the samples: the number of locks that exist, multiplied by their share. Of
// equal rules, the simpler one comes first.
func likelier(a, b *rule) int {
	return cmp.Or(
		cmp.Compare(boolean(a.takes), boolean(b.takes)),
		cmp.Compare(b.hits()*(b.hits()+1)*(a.values+2), a.hits()*(a.hits()+1)*(b.values+2)),
		cmp.Compare(boolean(a.repeats), boolean(b.repeats)),
		cmp.Compare(b.different, a.different),
		cmp.Compare(len(b.value), len(a.value)),
		cmp.Compare(len(a.config.Normalise), len(b.config.Normalise)),
		cmp.Compare(boolean(a.kind.is != nil), boolean(b.kind.is != nil)),
		cmp.Compare(boolean(a.kind.merged), boolean(b.kind.merged)),
		cmp.Compare(a.loose(), b.loose()),
		cmp.Compare(boolean(a.table.Schema.IsKey(a.path)), boolean(b.table.Schema.IsKey(b.path))),
		cmp.Compare(boolean(called(b)), boolean(called(a))),
		cmp.Compare(len(a.path), len(b.path)), strings.Compare(a.path, b.path), strings.Compare(a.place(), b.place()),
	)
}

// loose counts the variables of the lock's key besides the value and the account's id.
func (r *rule) loose() (n int) {
	for _, name := range r.constraint.Scope() {
		if name != identity && !strings.HasPrefix(name, "len:") {
			n++
		}
	}
	return n
}

// explanation returns the rule with its evidence.
func (r *rule) explanation(s *Search, lock *entry) Explanation {
	x := Explanation{
		Account: config.Account{PK: r.kind.pk, SK: r.kind.sk, Is: r.kind.is},
		Values:  r.values, Hits: r.hits(), Unclaimed: r.all - r.hits(), Accounts: len(r.kind.entries), Value: r.value,
		Different: r.different, Repeats: r.repeats, TakesAccounts: r.takes, Alike: r.alike, Owners: r.owners(lock),
	}
	for _, name := range lock.item.Names() {
		if layout.IsTime(lock.item[name]) && !r.table.Schema.IsKey(name) {
			x.Times = append(x.Times, name)
		}
	}
	c := r.config
	if c.Index = s.own.Indexes[c.Attribute]; len(x.Owners) > 0 {
		c.Owner, c.OwnerForm = x.Owners[0].Attribute, x.Owners[0].Form
	}
	x.Account.Constraints = []config.Constraint{c}
	return x
}

// owners lists the attributes in which a lock names its account, the likeliest first.
func (r *rule) owners(lock *entry) (all []Owner) {
	e := r.holders[lock]
	if e == nil {
		return nil
	}
	for _, path := range lock.paths {
		form, ok := r.ownerForm(lock.text(path), e)
		if !ok || strings.ContainsAny(path, "{}") {
			continue
		}
		o := Owner{Attribute: path, Form: form}
		for other, of := range r.holders {
			if text := other.text(path); text != "" {
				o.Locks++
				own, ok := r.ownerForm(text, of)
				o.Right += boolean(ok && own == form)
			}
		}
		if 2*o.Right >= o.Locks {
			all = append(all, o)
		}
	}
	slices.SortStableFunc(all, func(a, b Owner) int {
		return cmp.Or(cmp.Compare(boolean(a.Form != ""), boolean(b.Form != "")), cmp.Compare(b.Right, a.Right),
			cmp.Compare(boolean(ownerLike(b.Attribute)), boolean(ownerLike(a.Attribute))))
	})
	return all
}

// ownerForm returns the form in which a text names an account: empty for its id or its partition key. It
// reports false if the text does not name the account.
func (r *rule) ownerForm(text string, e *entry) (string, bool) {
	id, ok := r.account.Matches(e.of.Schema, e.item)
	if !ok || text == "" {
		return "", false
	}
	if text == id || text == e.hash {
		return "", true
	}
	form, bound := bind([]piece{{literal: text}}, identity, id)
	return templateOf(form), bound
}

// The limits of compare: the number of rules, and the number of accounts for each rule.
const (
	comparedRules    = 6
	comparedAccounts = 8
)

// compare reads the locks that some sampled accounts should have by the likeliest rules. It reports whether the probe
// has read any key.
func (s *Search) compare(ctx context.Context, rules []*rule, probe Probe) (bool, error) {
	q := &questions{s: s, keys: map[*table][]attr.Key{}, seen: map[string]bool{}}
	for _, r := range rules[:min(len(rules), comparedRules)] {
		for _, a := range spread(r.kind.some(r.path), comparedAccounts) {
			for _, claim := range r.account.AppendClaimsOf(nil, r.constraint, s.own.Name, s.schemaOf, a.e.item) {
				if claim.Err == nil {
					q.add(r.table, claim.Key)
				}
			}
		}
	}
	read, _, err := q.read(ctx, probe)
	return read, err
}

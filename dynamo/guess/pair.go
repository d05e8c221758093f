package guess

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"tallylock/dynamo/attr"
	"tallylock/dynamo/layout"
	"tallylock/dynamo/layout/config"
)

// Pair is an account and the lock of one of its values. A person has pointed at both.
type Pair struct {
	Account, Lock attr.Item
	LockTable     string // the name of the lock's table
}

// Explanation is a rule by which the account of a pair claims exactly the lock of the pair.
type Explanation struct {
	// Account is the kind of account, with one constraint.
	Account config.Account
	// Values counts the locks that sampled accounts should have, as far as the sample shows whether they exist.
	// Hits counts the locks that exist. Unclaimed counts other items with such keys.
	Values, Hits, Unclaimed int
	// Accounts counts the sampled items of the kind.
	Accounts int
	// Value is the text in the lock's key that stands for the value. It is a digest if the value is hashed.
	Value string
	// Unique: the sampled values of the attribute hardly repeat.
	Unique bool
	// Alike lists other normalisations that change no sampled value differently.
	Alike [][]string
	// Also lists other forms of the lock's key. Only the likeliest rules have them.
	Also []Form
	// Times lists the attributes of the lock that may say when it was put.
	Times []string
	// Owners lists the attributes in which the lock may name its account, the likeliest first.
	Owners []Owner
}

// Undecided reports whether the sample hardly tells x from the rule y. x is the likelier rule.
func (x Explanation) Undecided(y Explanation) bool {
	near := func(a, b int) bool { return a-b < layout.EnoughBetter && b-a < layout.EnoughBetter }
	part := len(y.Value) < len(x.Value) && strings.Contains(x.Value, y.Value) // user of user@example.org
	return near(x.Hits, y.Hits) && near(x.Values-x.Hits, y.Values-y.Hits) && !part &&
		(y.Unique || !x.Unique)
}

// Owner is an attribute of a lock that may name the lock's account.
type Owner struct {
	Attribute, Form string // Form is empty if the text is the account's id or its partition key
	Right, Locks    int    // Right counts the sampled locks that name their account so
}

// Explain lists the rules that explain a pair, the likeliest first. It counts in the samples how many other
// accounts and locks each rule explains. Unlike Accounts, it has no objections: a person has said that the pair
// is an account and its lock. The samples must contain the lock's table. Explain reads keys through the probe
// to compare the rules, unless the probe is nil. Equal samples give equal answers.
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
		if n < formedRules {
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

// everyChain lists the chains that are tried with a pair, the simplest first. A pair needs few attempts, so
// there are more chains than chainsFor lists for a sample.
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
	if len(all) == 0 && slices.ContainsFunc(strings.FieldsFunc(lock.hash+"#"+lock.sort, isKeySeparator), hexDigest) {
		return s.explainIn(account, lock, true)
	}
	return all
}

// explainIn is explain for values that are in the lock's key, or for digests of words and a value.
func (s *Search) explainIn(account, lock *entry, digests bool) (all []*rule) {
	for _, k := range s.kindsOf(account) {
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

// valuePaths lists the attributes of an account that may hold a value. A key attribute may hold it, too.
func valuePaths(e *entry) []string {
	paths := slices.Clone(e.paths)
	for _, name := range []string{e.of.Schema.HashName, e.of.Schema.RangeName} {
		if name != "" {
			paths = append(paths, name)
		}
	}
	return slices.DeleteFunc(paths, func(path string) bool { return strings.ContainsAny(path, "{}") })
}

// likelier orders rules by what the samples say about them: the locks that exist, times their share. Of equal
// rules, the simpler one comes first.
func likelier(a, b *rule) int {
	return cmp.Or(
		cmp.Compare(b.hits()*(b.hits()+1)*(a.values+2), a.hits()*(a.hits()+1)*(b.values+2)),
		cmp.Compare(boolean(b.unique), boolean(a.unique)),
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

// kindsOf lists the kinds of items that an account may belong to.
func (s *Search) kindsOf(account *entry) (all []*kind) {
	for _, k := range s.accounts {
		if slices.Contains(k.entries, account) {
			all = append(all, k)
			if wider := s.own.widened(k, account); wider != nil {
				all = append(all, wider)
			}
		}
	}
	if len(all) == 0 {
		all = s.own.kindsByPart(account)
	}
	for n, k := range all {
		all[n] = k.thinnedFor(account)
	}
	return all
}

// widened returns the kind in whose keys variables replace the texts of the account's attributes. It returns nil
// unless this kind has more items: a part that looks like a word may be the name of a tenant.
func (t *table) widened(k *kind, account *entry) *kind {
	pk, sk := piecesOf(k.pk), piecesOf(k.sk)
	var names []string
	for _, name := range account.paths {
		text := account.text(name)
		if text == "" || strings.ContainsAny(name, "{}.") || slices.Contains(k.names, name) {
			continue
		}
		hash, inHash := bind(pk, name, text)
		sort, inSort := bind(sk, name, text)
		if inHash || inSort {
			pk, sk, names = hash, sort, append(names, name)
		}
	}
	if len(names) == 0 {
		return nil
	}
	wider := t.kindBy(templateOf(pk), templateOf(sk), append(names, k.names...))
	if wider == nil || len(wider.entries) <= len(k.entries) {
		return nil
	}
	wider.merged, wider.is = true, k.is
	return wider
}

// piecesOf returns the pieces of a template.
func piecesOf(template string) (all []piece) {
	parsed, err := layout.ParseTemplate(template)
	if err != nil {
		return nil // unreachable: a kind's templates are valid
	}
	for _, p := range parsed.Pieces() {
		all = append(all, piece{literal: p.Literal, name: p.Variable})
	}
	return all
}

// thinnedFor returns the kind with at most mostAccounts of its entries, one of which is the account.
func (k *kind) thinnedFor(account *entry) *kind {
	if len(k.entries) <= mostAccounts {
		return k
	}
	less := *k
	less.entries, less.vars = nil, nil
	for n, e := range k.entries {
		if e == account || n%(len(k.entries)/mostAccounts+1) == 0 {
			less.entries, less.vars = append(less.entries, e), append(less.vars, k.vars[n])
		}
	}
	return &less
}

// kindsByPart makes kinds of an item whose key does not show by itself which part is the id. Each kind takes
// another part of the key for the id.
func (t *table) kindsByPart(account *entry) (all []*kind) {
	sort := layout.Literal(account.sort)
	if account.sort == account.hash && t.Schema.RangeName != "" {
		sort = "{pk}"
	}
	try := func(pk, sk string) {
		if k := t.kindBy(pk, sk, []string{identity}); k != nil {
			all = append(all, k)
		}
	}
	try(lastPart(account.hash), sort)
	if t.Schema.RangeName != "" && account.sort != account.hash {
		try(layout.Literal(account.hash), lastPart(account.sort))
	}
	return all
}

// kindBy returns the kind of the items whose keys have the templates; nil if there are none.
func (t *table) kindBy(pk, sk string, names []string) *kind {
	l, err := config.Layout{Name: "inferred", Accounts: []config.Account{{PK: pk, SK: sk}}}.Build()
	if err != nil {
		return nil
	}
	k := &kind{pk: pk, sk: sk, names: slices.Sorted(slices.Values(names))}
	for _, e := range t.sorted() {
		if id, ok := l.Accounts[0].Matches(t.Schema, e.item); ok {
			vars, _ := l.Accounts[0].Variables(t.Schema, e.key)
			if vars == nil {
				vars = map[string]string{}
			}
			vars[identity] = id
			k.entries, k.vars = append(k.entries, e), append(k.vars, vars)
		}
	}
	if len(k.entries) == 0 {
		return nil
	}
	k.look = profileOf(k.ids())
	return k
}

// lastPart returns the template of a key whose last part is the id.
func lastPart(key string) string {
	at := strings.LastIndexAny(key, separators) + 1
	return layout.Literal(key[:at]) + "{" + identity + "}"
}

// explainBy lists the rules by which a text of the account's attribute is the value in the lock's key.
func (s *Search) explainBy(k *kind, e, lock *entry, path, raw string, digests bool) (all []*rule) {
	a := account{e: e, names: k.names}
	if n := slices.Index(k.entries, e); n >= 0 {
		a.vars = k.vars[n]
	}
	for _, v := range s.spelled(raw) {
		for _, f := range s.finds(k, path, v, lock, digests) {
			for _, p := range a.forms(k, lock, f, path) {
				for _, same := range s.spellings(k, path, f.chains) {
					if r := s.taught(k, path, p, same); r != nil && r.claimsFor(s, e, lock) {
						r.value, r.unique = f.text, k.unique(path)
						all = append(all, r)
					}
				}
			}
		}
	}
	return all
}

// finds lists the texts in a lock's key that may stand for a spelling of a value: the spelling, or digests of
// words and the spelling.
func (s *Search) finds(k *kind, path string, v spelling, lock *entry, digests bool) (all []found) {
	in := func(text string) bool { return findRun(lock.hash, text) >= 0 || findRun(lock.sort, text) >= 0 }
	if !digests {
		if in(v.text) {
			all = append(all, found{text: v.text, name: "v", chains: v.chains})
		}
		return all
	}
	words := s.wordsOf(k, path)
	for _, w := range slices.Clone(words) {
		words = append(words, strings.ToUpper(w[:1])+strings.ToLower(w[1:]))
	}
	slices.Sort(words)
	for _, form := range digestForms(slices.Compact(words)) {
		if digest := digestOf(form, v.text); in(digest) {
			all = append(all, found{text: digest, name: "sha256:" + form, chains: v.chains})
		}
	}
	return all
}

// mostScope is the largest number of variables, besides the value, that are tried in a lock's key.
const mostScope = 4

// forms lists the forms that a lock's key may have. Each text of the account in it may be a variable or not.
func (a account) forms(k *kind, lock *entry, f found, path string) (all []*proposal) {
	pk, _ := bind([]piece{{literal: lock.hash}}, f.name, f.text)
	sk := []piece(nil)
	switch {
	case lock.of.Schema.RangeName == "":
	case lock.sort == lock.hash:
		sk = []piece{{name: "pk"}}
	default:
		sk, _ = bind([]piece{{literal: lock.sort}}, f.name, f.text)
	}
	names := a.scopes(k, path, pk, sk)
	for chosen := range 1 << len(names) {
		p := &proposal{table: lock.of, pk: pk, sk: sk}
		for n, name := range names {
			if chosen&(1<<n) != 0 {
				p.pk, _ = bind(p.pk, name, a.text(name))
				p.sk, _ = bind(p.sk, name, a.text(name))
			}
		}
		all = append(all, p)
		if long, longSort := measured(p.pk, f.text), measured(p.sk, f.text); len(long) > len(p.pk) || len(longSort) > len(p.sk) {
			all = append(all, &proposal{table: lock.of, pk: long, sk: longSort})
		}
	}
	return all
}

// text returns the text of a variable of the account's key, or of an attribute.
func (a account) text(name string) string { return cmp.Or(a.vars[name], a.e.text(name)) }

// scopes lists the names of texts of an account that occur in a lock's key: variables of the account's key, and
// attributes. An attribute that is the same in all accounts is a word of the layout.
func (a account) scopes(k *kind, path string, pk, sk []piece) (all []string) {
	names := []string{identity}
	for _, name := range slices.Concat(a.names, a.e.paths) {
		if !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	for _, name := range names {
		text := a.text(name)
		_, inHash := bind(pk, name, text)
		_, inSort := bind(sk, name, text)
		if !inHash && !inSort || name == path || strings.ContainsAny(name, "{}") || len(all) == mostScope ||
			a.vars[name] == "" && len(k.entries) > 1 && k.constant(name, text) {
			continue
		}
		all = append(all, name)
	}
	return all
}

func (k *kind) constant(name, text string) bool {
	return !slices.ContainsFunc(k.entries, func(e *entry) bool { return e.text(name) != text })
}

// spellings groups chains that give equal texts for all values of an attribute. The simplest chain of each group
// comes first.
func (s *Search) spellings(k *kind, path string, chains []int) (groups [][]chain) {
	at := map[string]int{}
	for _, c := range chains {
		var b strings.Builder
		for _, e := range k.entries {
			for _, text := range layout.Texts(e.item.At(path)) {
				b.WriteString(layout.Normalise(s.chains[c], text) + "\x00")
			}
		}
		n, met := at[b.String()]
		if !met {
			n = len(groups)
			at[b.String()], groups = n, append(groups, nil)
		}
		groups[n] = append(groups[n], s.chains[c])
	}
	return groups
}

// taught makes the rule of a pair and counts its evidence. The chains give equal texts for all values; the rule
// has the first one. taught returns nil if the rule would be invalid.
func (s *Search) taught(k *kind, path string, p *proposal, same []chain) *rule {
	r := newRule(k, path, p, same[0], s.own)
	if r.taught = true; !r.build() {
		return nil
	}
	for _, c := range same[1:] {
		r.alike = append(r.alike, c.names())
	}
	s.setApart(r)
	if s.count(r); r.takesAccounts() {
		if !r.discriminate() {
			return nil
		}
		s.count(r)
	}
	return r
}

// claimsFor reports whether the rule takes e for an account and lock for its lock, and nothing else.
func (r *rule) claimsFor(s *Search, e, lock *entry) bool {
	l := &layout.Layout{Accounts: []*layout.Account{r.account}}
	if l.Classify(s.own.Name, s.own.Name, s.own.Schema, e.item).Account != r.account {
		return false
	}
	if role := l.Classify(s.own.Name, r.table.Name, r.table.Schema, lock.item); role.Constraint != r.constraint || role.Malformed {
		return false
	}
	return slices.ContainsFunc(r.account.AppendClaimsOf(nil, r.constraint, s.own.Name, s.schemaOf, e.item),
		func(claim layout.Claim) bool { return claim.Calls(lock.key) })
}

// explanation returns the rule with its evidence.
func (r *rule) explanation(s *Search, lock *entry) Explanation {
	x := Explanation{
		Account: config.Account{PK: r.kind.pk, SK: r.kind.sk, Is: r.kind.is},
		Values:  r.values, Hits: r.hits(), Unclaimed: r.all - r.hits(), Accounts: len(r.kind.entries), Value: r.value,
		Unique: r.unique, Alike: r.alike, Owners: r.owners(lock),
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

// Limits of compare: how many rules, and how many accounts for each of them.
const (
	comparedRules    = 6
	comparedAccounts = 8
)

// compare reads the locks that some sampled accounts should have by the likeliest rules. It reports whether it
// has learnt anything.
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

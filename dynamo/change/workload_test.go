package change_test

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"tallylock/dynamo/attr"
	"tallylock/dynamo/layout"
	"tallylock/dynamo/layout/config"
)

// workload is a table with a random layout. It has accounts with their locks, locks of deleted accounts and of old
// values, and other items that repeat values. It depends only on the seed.
type workload struct {
	*rand.Rand
	sep    string
	truth  config.Layout
	rules  []*workloadRule
	items  map[string]map[string]item // by table and key
	locks  map[string]bool            // the keys of all locks
	calls  map[string][]string        // the accounts that claim a lock, by its key
	orders string                     // the word in the keys of orders
	value  int
}

// workloadRule is one constraint, with its values.
type workloadRule struct {
	kind       int
	attribute  string
	table      string
	normalise  []layout.Normaliser
	pk, sk     string
	owner      string // the attribute of the owner
	whole      bool   // the owner is a whole partition key
	place      string // the placeholder of the value in templates
	is, odd    bool
	number     bool
	capitals   bool
	left       []string // values of deleted accounts
	leftScopes []string
	lived      []string
}

const workloadTable, workloadLocks = "workload", "workloadlocks"

func pick[T any](t *workload, all ...T) T { return all[t.IntN(len(all))] }

func (t *workload) chance(percent int) bool { return t.IntN(100) < percent }

// newWorkload makes a random layout with its items.
func newWorkload(seed uint64) *workload {
	t := &workload{
		Rand: rand.New(rand.NewPCG(seed, 9)), items: map[string]map[string]item{workloadTable: {}, workloadLocks: {}},
		locks: map[string]bool{}, calls: map[string][]string{},
	}
	t.sep = pick(t, "#", "#", "#", ":", "/", "|", "_")
	t.orders = pick(t, "ORDER", "order", "INVOICE")
	t.truth = config.Layout{Name: "mine", Tables: []string{workloadTable}}
	words := pick(t, []string{"ACCT", "ORG", "BOT"}, []string{"user", "team", "robot"}, []string{"User", "Shop", "Partner"})
	for n := range pick(t, 1, 1, 2, 3) {
		t.kind(n, words[n])
	}
	return t
}

// kind makes a random kind of account, with its constraints and items.
func (t *workload) kind(n int, word string) {
	kind := config.Account{Model: strings.ToLower(word)}
	tenants := false
	switch t.IntN(6) {
	case 0:
		kind.PK, kind.SK = "TENANT"+t.sep+"{tenant}", word+t.sep+"{id}"
		tenants = true
	case 1:
		kind.PK, kind.SK = "{id}", "PROFILE"
		kind.Is = &config.Discriminator{Attribute: "type", Value: word}
	case 2:
		kind.PK, kind.SK = word+t.sep+"{id}", "{pk}"
	default:
		kind.PK, kind.SK = word+t.sep+"{id}", pick(t, "PROFILE", "META", "#")
	}
	var rules []*workloadRule
	for _, attribute := range [][]string{{"email"}, {"username"}, {"email", "username"}, {"phone"}, {"contact.email"}}[t.IntN(5)] {
		rules = append(rules, t.rule(n, attribute, word, tenants))
	}
	for _, r := range rules {
		is := (*config.Discriminator)(nil)
		if r.is {
			is = &config.Discriminator{Attribute: "type", Value: "lock"}
		}
		var chain []string
		for _, step := range r.normalise {
			chain = append(chain, string(step))
		}
		kind.Constraints = append(kind.Constraints, config.Constraint{
			Name: fmt.Sprint(strings.ReplaceAll(r.attribute, ".", "-"), n), Attribute: r.attribute, Table: r.table, PK: fill(r.pk, "{v}", r.place), SK: fill(r.sk, "{v}", r.place), Is: is, Normalise: chain, Owner: r.owner,
		})
	}
	t.truth.Accounts = append(t.truth.Accounts, kind)
	t.rules = append(t.rules, rules...)
	t.people(n, kind, rules, tenants)
	t.beside(rules)
}

// rule makes a random constraint, or takes the lock keys of another kind's constraint.
func (t *workload) rule(n int, attribute, word string, tenants bool) *workloadRule {
	for _, other := range t.rules {
		if other.attribute == attribute && !strings.Contains(other.pk, "{tenant}") && t.chance(50) {
			same := *other
			same.kind, same.left, same.lived, same.leftScopes = n, nil, nil, nil
			return &same
		}
	}
	r := &workloadRule{kind: n, attribute: attribute, number: attribute == "phone" && t.chance(50), odd: t.chance(15)}
	name := strings.ToUpper(strings.ReplaceAll(attribute, ".", ""))
	if t.chance(30) {
		name = strings.ToLower(name)
	}
	prefix := pick(t, "UNIQ"+t.sep+name, name, "unique"+t.sep+strings.ToLower(word)+t.sep+name) + fmt.Sprint(pick(t, "", "", "2"))
	if len(t.rules) > 0 {
		prefix = word + t.sep + prefix // locks of another kind have other keys
	}
	if tenants && t.chance(60) {
		prefix += t.sep + "{tenant}"
	}
	r.sk = pick(t, "LOCK", "{pk}", "#", prefix)
	switch t.IntN(5) {
	case 0:
		r.pk, r.sk = prefix, "VALUE"+t.sep+"{v}"
	case 1:
		r.pk = prefix + t.sep + "{v}" + t.sep + "UNIQ"
	default:
		r.pk = prefix + t.sep + "{v}"
	}
	if !r.number {
		r.normalise = pick(t, nil, nil, []layout.Normaliser{layout.Lower}, []layout.Normaliser{layout.Trim, layout.Lower}, []layout.Normaliser{layout.NFKC, layout.Lower}, []layout.Normaliser{layout.SHA256}, []layout.Normaliser{layout.Lower, layout.SHA256},
			[]layout.Normaliser{layout.Base64}, []layout.Normaliser{layout.Lower, layout.Base64URL}, []layout.Normaliser{layout.Percent}, []layout.Normaliser{layout.NFC, layout.Upper, layout.Percent}, []layout.Normaliser{layout.DynamoFlow})
		r.capitals = t.chance(50)
	}
	if t.chance(25) {
		r.table = workloadLocks
	}
	if t.chance(50) {
		r.owner, r.whole = pick(t, "owner", "userId"), t.chance(40)
	}
	r.is = t.chance(25)
	r.place = pick(t, "{v}", "{v}", "{v}", "{sha256:User#{v}}", "s{len:v}:{v}")
	return r
}

// fresh returns a value that no account has.
func (t *workload) fresh(r *workloadRule) string {
	t.value++
	name := pick(t, "ada", "grace", "annie", "margaret", "evelyn", "katherine") + pick(t, "", ".", "-") + fmt.Sprint(t.value)
	switch {
	case strings.HasSuffix(r.attribute, "email"):
		name += "@" + pick(t, "x.io", "mail.example", "y.org")
	case r.attribute == "phone":
		return fmt.Sprint(4400000 + 37*t.value)
	}
	if r.capitals && t.chance(50) {
		name = strings.ToUpper(name[:1]) + name[1:]
	}
	return name
}

func (t *workload) put(table string, i item) string {
	at := placeOf(table, i)
	t.items[table][at] = i
	return at
}

func placeOf(table string, key item) string {
	return table + "\x00" + text(key["PK"]) + "\x00" + text(key["SK"])
}

// fill renders a template.
func fill(template string, vars ...string) string {
	return strings.NewReplacer(vars...).Replace(template)
}

// lock returns the lock of a value, and its table.
func (t *workload) lock(r *workloadRule, v, tenant, id, accountPK string) (table string, i item) {
	v = layout.Normalise(r.normalise, v)
	switch r.place {
	case "{sha256:User#{v}}":
		v = layout.Normalise([]layout.Normaliser{layout.SHA256}, "User#"+v)
	case "s{len:v}:{v}":
		v = fmt.Sprint("s", len(v), ":", v)
	}
	pk := fill(r.pk, "{v}", v, "{tenant}", tenant)
	i = row(pk, fill(r.sk, "{pk}", pk, "{v}", v, "{tenant}", tenant), "createdAt", fmt.Sprint("2026-01-", 10+t.IntN(19)))
	switch {
	case r.owner != "" && r.whole:
		i[r.owner] = str(accountPK)
	case r.owner != "":
		i[r.owner] = str(id)
	}
	if r.is {
		i["type"] = str("lock")
	}
	if r.odd && t.chance(20) {
		i["source"] = str("import")
	}
	table = workloadTable
	if r.table != "" {
		table = r.table
	}
	return table, i
}

// set sets the attribute of the constraint, which may be in a map.
func (r *workloadRule) set(i item, v string) {
	value := str(v)
	if r.number {
		value = num(v)
	}
	if outer, inner, nested := strings.Cut(r.attribute, "."); nested {
		i[outer] = mapOf(inner, value)
		return
	}
	i[r.attribute] = value
}

// people makes accounts with their locks, and some mistakes.
func (t *workload) people(n int, kind config.Account, rules []*workloadRule, tenants bool) {
	for m := range pick(t, 1, 2, 3, 6, 6, 12, 12, 25, 25, 40, 70) {
		id, tenant := fmt.Sprintf("%d%03d", n, m), pick(t, "acme", "globex")
		pk := fill(kind.PK, "{id}", id, "{tenant}", tenant)
		a := row(pk, fill(kind.SK, "{id}", id, "{pk}", pk), "name", fmt.Sprint("Person ", t.IntN(1000)), "createdAt", "2025")
		if kind.Is != nil {
			a[kind.Is.Attribute] = str(kind.Is.Value)
		}
		if tenants && t.chance(50) {
			a["tenantName"] = str(tenant)
		}
		gone := t.chance(8) // the account was deleted without its locks
		for _, r := range rules {
			if t.chance(5) {
				continue // the account has no such value
			}
			v := t.fresh(r)
			if len(r.lived) > 0 && !gone && t.chance(1) {
				v = r.lived[0] // a duplicate
			}
			r.set(a, v)
			table, lock := t.lock(r, v, tenant, id, pk)
			at := placeOf(table, lock)
			if gone {
				t.locks[at] = true
				t.put(table, lock)
				r.left, r.leftScopes = append(r.left, v), append(r.leftScopes, tenant)
				continue
			}
			r.lived = append(r.lived, v)
			t.calls[at] = append(t.calls[at], pk)
			if !t.chance(3) && !t.locks[at] {
				t.locks[at] = true
				t.put(table, lock)
			}
			if t.chance(3) { // the value was changed, and the old lock stayed
				old := t.fresh(r)
				table, lock := t.lock(r, old, tenant, id, pk)
				t.locks[t.put(table, lock)] = true
				r.left, r.leftScopes = append(r.left, old), append(r.leftScopes, tenant)
			}
		}
		switch {
		case !gone:
			if t.chance(20) {
				a["displayName"] = str(fmt.Sprint("D ", t.IntN(50)))
			}
			t.put(workloadTable, a)
		}
	}
}

// beside makes items that repeat the values of accounts, also of deleted accounts.
func (t *workload) beside(rules []*workloadRule) {
	for _, r := range rules {
		all := slices.Concat(r.lived, r.left)
		if len(all) == 0 {
			continue
		}
		if t.chance(50) { // orders
			under := pick(t, r.attribute, "buyer", "email")
			for range pick(t, 1, 5, 12, 30, 90) {
				i := row(fmt.Sprint(t.orders, t.sep, 1000+t.value), "META", "total", fmt.Sprint(t.IntN(99)))
				t.value++
				o := workloadRule{attribute: under, number: r.number}
				o.set(i, pick(t, all...))
				t.put(workloadTable, i)
			}
		}
		if t.chance(25) { // sessions, with the value in the key
			for range 1 + t.IntN(20) {
				t.put(workloadTable, row("SESSION"+t.sep+pick(t, all...), fmt.Sprint("2026-", t.IntN(50))))
			}
		}
		if t.chance(25) { // audit rows
			for range 1 + t.IntN(60) {
				t.value++
				i := row("AUDIT"+t.sep+fmt.Sprint(t.value), "2026")
				i["event"] = &types.AttributeValueMemberM{Value: item{"who": str(pick(t, all...)), "n": num("1")}}
				t.put(workloadTable, i)
			}
		}
		if t.chance(15) { // invitations with one value each, most of them for people without an account
			for range 1 + t.IntN(130) {
				t.value++
				v := t.fresh(r)
				if t.chance(10) {
					v = pick(t, all...)
				}
				t.put(workloadTable, row("INVITE"+t.sep+fmt.Sprint(t.value), "META", "to", v))
			}
		}
	}
}

// build makes the tables and fills them.
func (t *workload) build(f *fixture) {
	f.create(workloadTable)
	f.create(workloadLocks)
	for table, items := range t.items {
		all := slices.Sorted(maps.Keys(items))
		for batch := range slices.Chunk(all, 25) {
			var writes []types.WriteRequest
			for _, at := range batch {
				writes = append(writes, types.WriteRequest{PutRequest: &types.PutRequest{Item: items[at]}})
			}
			if _, err := f.App().BatchWriteItem(f.t.Context(), &dynamodb.BatchWriteItemInput{RequestItems: map[string][]types.WriteRequest{table: writes}}); err != nil {
				f.t.Fatal(err)
			}
		}
	}
}

// mistake changes one setting of the layout, and names it; empty if it changes none. The result may still be right.
func (t *workload) mistake() (config.Layout, string) {
	c := t.truth
	c.Accounts = slices.Clone(c.Accounts)
	for n := range c.Accounts {
		c.Accounts[n].Constraints = slices.Clone(c.Accounts[n].Constraints)
	}
	n := t.IntN(len(c.Accounts))
	a := &c.Accounts[n]
	con := &a.Constraints[t.IntN(len(a.Constraints))]
	switch what := t.IntN(18); what {
	case 0:
		a.SK = pick(t, "PROFIL", "profile", "INFO", "META")
		return c, "the sk of accounts"
	case 1:
		a.PK = pick(t, "PEOPLE"+t.sep+"{id}", strings.ToLower(a.PK), strings.ToUpper(strings.ReplaceAll(a.PK, "{id}", ""))+"X{id}")
		return c, "the pk of accounts"
	case 2:
		con.Attribute = pick(t, strings.ToUpper(con.Attribute[:1])+con.Attribute[1:], "mail", con.Attribute+"Address")
		return c, "the case of an attribute"
	case 3:
		con.Attribute = pick(t, "name", "displayName", "createdAt", "email", "username", "contact.email")
		return c, "another attribute"
	case 4:
		a.Is = &config.Discriminator{Attribute: "type", Value: pick(t, "person", "USER", "lock")}
		return c, "the is value"
	case 5:
		con.Normalise = pick(t, nil, []string{"lower"}, []string{"trim"}, []string{"sha256"}, []string{"lower", "sha256"}, []string{"nfkc"}, []string{"base64"}, []string{"percent"}, []string{"lower", "base64"})
		return c, "the normalisers"
	case 6:
		con.Owner = pick(t, "", "owner", "userId", "createdAt", "type", "ownerId")
		return c, "the owner"
	case 7:
		con.PK = pick(t, strings.ToLower(con.PK), "X"+con.PK, strings.Replace(con.PK, t.sep+"{v}", "{v}", 1), "UNIQ"+t.sep+"{v}")
		return c, "the lock word"
	case 8:
		con.SK = pick(t, "LOCKED", "{pk}", "#", "lock", "LOCK")
		return c, "the sk of locks"
	case 9:
		if strings.Contains(con.PK, "{tenant}") {
			con.PK = strings.Replace(con.PK, "{tenant}", pick(t, "acme", "{tenantName}", "{id}"), 1)
		} else {
			con.PK = strings.Replace(con.PK, "{v}", pick(t, "{id}", "{tenant}")+t.sep+"{v}", 1)
		}
		return c, "the scope"
	case 10:
		if len(c.Accounts) > 1 {
			c.Accounts = slices.Delete(c.Accounts, n, n+1)
		}
		return c, "a kind forgotten"
	case 11, 12:
		a.PK, a.SK, a.Is = t.orders+t.sep+"{id}", "META", nil
		return c, "orders for accounts"
	case 13:
		con.Table = pick(t, "", workloadLocks)
		return c, "the locks' table"
	case 14:
		con.Is = pick(t, nil, &config.Discriminator{Attribute: "type", Value: "uniq"}, &config.Discriminator{Attribute: "createdAt", Value: "x"})
		return c, "the is of locks"
	}
	return c, ""
}

// read returns an item as the client reads it.
func read(i item) attr.Item {
	out := attr.Item{}
	for name, v := range i {
		switch v := v.(type) {
		case *types.AttributeValueMemberN:
			out[name] = attr.Number(v.Value)
		case *types.AttributeValueMemberM:
			out[name] = attr.Value{Kind: attr.M, Map: read(v.Value)}
		default:
			out[name] = attr.String(text(v))
		}
	}
	return out
}

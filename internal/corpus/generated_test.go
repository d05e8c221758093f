package corpus_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"tallylock/dynamo/layout/config"
	"tallylock/internal/testrun"
)

// generator chooses each part of a random layout.
type generator struct {
	*rand.Rand
	family
	account config.Account // the account as a person would describe it
	hash    string         // the name of the partition key
	sortKey string
	sep     string
	style   func(string) string // changes words in keys
	entity  string
	apart   bool // locks are in another table
	tenants bool
	steps   []string // the normalisers of a value, in the chain and in the key
	encoded string
}

func (g *generator) pick(of ...string) string { return of[g.IntN(len(of))] }

func (g *generator) chance(percent int) bool { return g.IntN(100) < percent }

// generate returns the random family of a seed.
func generate(seed uint64) *generator {
	g := &generator{Rand: rand.New(rand.NewPCG(seed, 99))}
	g.sep = g.pick("#", "#", "#", ":", "|", "/", "_", "-", ".", "~", "::")
	g.style = []func(string) string{strings.ToUpper, strings.ToUpper, strings.ToLower, func(s string) string { return s }}[g.IntN(4)]
	keys := g.pick("PK SK", "pk sk", "PK SK", "pk sk", "hash range", "partitionKey sortKey", "id", "pk")
	g.hash, g.sortKey, _ = strings.Cut(keys, " ")
	g.name, g.tables = fmt.Sprint("seed ", seed), []string{g.pick("main", "app-prod", "Entities", "data") + " " + keys}
	g.ids = ids(g.IntN(int(serial) + 1))
	g.entity = g.pick("User", "Member", "Customer", "Player", "Student", "Seller", "Device")
	g.apart = g.chance(15)
	g.tenants = !g.apart && g.sortKey != "" && g.chance(20)
	g.perTenant = g.tenants
	g.normalise()
	g.people = []spec{g.profile()}
	kinds := []string{"email", "username", "phone", "slug", "serial"}
	g.Shuffle(len(kinds), func(i, j int) { kinds[i], kinds[j] = kinds[j], kinds[i] })
	for n := range 1 + g.IntN(2) {
		g.constraint(kinds[n], n)
	}
	g.company()
	return g
}

// normalise chooses the normalisers of a value, and its encoding in the lock's key.
func (g *generator) normalise() {
	switch g.IntN(8) {
	case 0:
		g.mixed = true
	case 1, 2:
		g.mixed, g.chain, g.steps = true, "lower", []string{"lower"}
	case 3:
		g.mixed, g.padded, g.chain, g.steps = true, true, "trim|lower", []string{"trim", "lower"}
	case 4:
		g.encoded = g.pick("sha256", "percent", "base64")
		g.mixed, g.chain, g.steps = true, "lower", []string{"lower", g.encoded}
	}
}

// profile chooses the attributes of an account.
func (g *generator) profile() spec {
	p := spec{"name": "{name}"}
	key := g.style(g.entity) + g.sep + "{id}"
	p[g.hash], g.account.PK = key, key
	if g.sortKey != "" {
		g.account.SK = g.pick(g.style(g.entity), g.style("Profile"), key, "A")
		if g.tenants && g.chance(50) {
			g.account.PK, g.account.SK = g.style("Tenant")+g.sep+"{tenant}", key
		}
		p[g.hash], p[g.sortKey] = g.account.PK, g.account.SK
	}
	if g.tenants {
		p["tenant"] = "{tenant}"
	}
	if g.chance(50) {
		p["type"] = g.entity
	}
	if g.chance(50) {
		p[strings.ToLower(g.entity)+"Id"] = "{id}"
	}
	if g.chance(30) {
		p["createdAt"] = "{date}"
	}
	return p
}

// constraint adds a random unique attribute and its locks.
func (g *generator) constraint(kind string, n int) {
	attribute := map[string]string{"email": g.pick("email", "emailAddress", "mail"), "username": g.pick("username", "handle", "nick"), "phone": "phone", "slug": "slug", "serial": g.pick("serialNumber", "sn")}[kind]
	g.people[0][attribute] = "{" + kind + "}"
	value := "{v}"
	if g.encoded != "" {
		value = "{v|" + g.encoded + "}"
	}
	word := g.style(attribute)
	if g.apart {
		word = "" // each constraint has its own lock table
	}
	prefix := word + g.sep
	switch unique := g.style(g.pick("Unique", "Uniq", "Lock", "Claim")); {
	case g.apart:
		prefix = ""
	case g.chance(30):
		prefix = unique + g.sep + prefix
	case g.chance(30):
		prefix = unique + g.sep + g.style(g.entity) + g.sep + prefix
	}
	if g.tenants {
		prefix = g.style("T") + g.sep + "{tenant}" + g.sep + prefix
	}
	pk, sk := prefix+value, ""
	if g.sortKey != "" && !g.apart {
		switch g.IntN(5) {
		case 0:
			sk = pk
		case 1:
			pk, sk = strings.TrimSuffix(prefix, g.sep)+"S", value
		default:
			sk = g.style(g.pick("Lock", "Unique", "Claim", attribute))
		}
	}
	l := lock{of: kind, item: spec{g.hash: pk}}
	c := config.Constraint{Attribute: attribute, PK: strings.ReplaceAll(pk, value, "{v}"), SK: strings.ReplaceAll(sk, value, "{v}"), Normalise: g.steps}
	if g.apart {
		table := attribute + "-locks"
		g.tables = append(g.tables, table+" "+attribute)
		l.in, l.item, c.Table = n+1, spec{attribute: value}, table
	} else if g.sortKey != "" {
		l.item[g.sortKey] = sk
	}
	switch {
	case g.chance(60):
		c.Owner, l.owned = strings.ToLower(g.entity)+"Id", true
		l.item[c.Owner] = "{id}"
	case !strings.Contains(g.account.PK, "{tenant}") && g.chance(30):
		c.Owner, l.owned = "ref", true
		l.item["ref"] = g.account.PK
	}
	if g.chance(40) {
		l.item["type"] = g.entity + "Unique"
	}
	if g.chance(30) {
		l.item["createdAt"] = "{date}"
	}
	g.account.Constraints = append(g.account.Constraints, c)
	g.locks = append(g.locks, l)
}

// company adds random other items to the table.
func (g *generator) company() {
	add := func(each, times int, hash, sort string, more spec) {
		more[g.hash] = hash
		if g.sortKey != "" {
			more[g.sortKey] = sort
		}
		g.others = append(g.others, other{each: each, times: times, item: more})
	}
	of := g.locks[0].of
	if g.chance(60) {
		add(2+g.IntN(3), 1+g.IntN(3), g.style("Order")+g.sep+"{order}-{k}", g.style("Order"), spec{"contact": "{" + of + "}", "total": num("{total}")})
	}
	if g.chance(40) {
		add(1+g.IntN(2), 1, g.style("Session")+g.sep+"{token}", g.style("Session"), spec{"user": "{id}", "ttl": num("{sec}")})
	}
	if g.chance(30) {
		add(1, 1, g.style("Settings")+g.sep+"{id}", g.style("Settings"), spec{"theme": "dark"})
	}
	if g.chance(20) {
		add(3, 1, g.style("Reset")+g.sep+"{"+of+"}", g.style("Reset"), spec{"code": "{token}"})
	}
}

// generated returns the number of random layouts: very many in a long run, and few otherwise.
func generated() uint64 {
	if testrun.Long() {
		return 200
	}
	return 12
}

// The program recognises random layouts.
func TestRecognisedGenerated(t *testing.T) {
	report := &report{}
	t.Run("each", func(t *testing.T) {
		for seed := range generated() {
			t.Run(fmt.Sprint(seed), func(t *testing.T) {
				t.Parallel()
				g := generate(seed)
				f := g.family
				if seed%2 == 1 {
					f = newRenamer(seed).family(f)
				}
				w := f.build()
				report.add("generated", g.name, w.judge(t, w.engine(t)))
			})
		}
	})
	report.tell(t, bars{"generated": 90})
}

// The truth of random layouts is right: see TestTruthOfFamilies.
func TestTruthOfGenerated(t *testing.T) {
	report := &report{}
	t.Run("each", func(t *testing.T) {
		for seed := range generated() / 2 {
			g := generate(seed)
			if g.encoded != "" && g.encoded != "sha256" {
				continue
			}
			t.Run(fmt.Sprint(seed), func(t *testing.T) {
				t.Parallel()
				w := g.build()
				c := config.Layout{Name: "ours", Tables: []string{w.tables[0].name()}, Accounts: []config.Account{g.account}}
				report.add("generated, described", g.name, w.judge(t, w.engine(t), c))
			})
		}
	})
	report.tell(t, bars{"generated, described": 90})
}

package corpus_test

import (
	"encoding/hex"
	"fmt"
	"hash/fnv"
	"maps"
	"math/rand/v2"
	"strings"
)

// ids is the format of an application's ids.
type ids int

const (
	short ids = iota // such as u7k2p
	uuid
	ulid
	hex24 // ids of MongoDB
	serial
)

var firstNames = strings.Fields(`Ada Grace Alan Edsger Barbara Donald Ken Niklaus Dennis Frances Bjarne Guido Linus Margaret
	Katherine Radia Tim Vint Leslie Shafi John Hedy Jean Joan Karen Lynn Mary Anita Evelyn Ruth Sophie Betty Peter Robin
	Charles Manuel Yukihiro Brendan James Rasmus`)

// person makes the values of a family's n-th person. They have capital letters if the people of the family typed some.
func (f *family) person(n int) vars {
	h := fnv.New64a()
	fmt.Fprint(h, f.name, n)
	r := rand.New(rand.NewPCG(h.Sum64(), uint64(n)))
	first := firstNames[n%len(firstNames)]
	domain, low := "Example.org", strings.ToLower
	if !f.mixed || f.fewMixed && n%13 != 1 {
		domain = "example.org"
	} else {
		low = func(s string) string { return s }
	}
	of := n
	if f.perTenant && n >= 20 && n < 23 {
		of -= 10 // people of two tenants may have the same names
	}
	if f.more && n == 15 {
		of = 14
	}
	name := firstNames[of%len(firstNames)]
	tenants := []string{"acme", "globex", "initech"}
	v := vars{}
	put := func(name string, texts ...string) { v[name] = texts }
	put("n", fmt.Sprint(n))
	put("id", f.ids.make(n, r))
	put("name", first)
	put("last", firstNames[(n*7+3)%len(firstNames)])
	put("email", low(fmt.Sprintf("%s.%d@%s", name, of, domain)))
	if f.padded && n%6 == 1 {
		v["email"][0] += " "
	}
	put("canonical", strings.ReplaceAll(strings.ToLower(name), ".", "")+fmt.Sprintf("%d@example.org", of))
	put("emails", v["email"][0], low(fmt.Sprintf("%s+%d@mail.test", name, of)))
	if n%3 == 0 {
		v["emails"] = v["emails"][:1]
	}
	put("username", low(fmt.Sprintf("%s%d", name, of)))
	put("login", v["email"][0])
	if n%10 == 1 {
		put("login", "login."+v["email"][0])
	}
	put("by", v["id"][0])
	if n%5 == 1 {
		put("by", "admin")
	}
	put("previous")
	if n%4 == 1 {
		put("previous", "old."+v["email"][0])
	}
	put("phone", fmt.Sprintf("49151%07d", 1000003*(n+1)%9999991))
	put("serial", fmt.Sprintf("SN-%04d-%04X", 7*n+11, 40503*(n+1)%65536))
	put("wallet", fmt.Sprintf("0x%016x%016x%08X", r.Uint64(), r.Uint64(), r.Uint32()))
	put("sub", fmt.Sprint(100000000000000000+r.Int64N(1e17)))
	put("domain", strings.ToLower(first)+fmt.Sprint(n)+".example.com")
	put("tel", "+"+v["phone"][0])
	put("slug", fmt.Sprintf("%s-%s-%d", strings.ToLower(first), "works", n))
	put("tenant", tenants[n%len(tenants)])
	put("city", []string{"Berlin", "Paris", "Oslo", "Lisbon", "Graz"}[n%5])
	put("plan", []string{"FREE", "PRO"}[n%2])
	put("ms", fmt.Sprint(1795336000000+int64(n)*86413))
	put("sec", fmt.Sprint(1795336000+int64(n)*86))
	put("date", fmt.Sprintf("2026-%02d-%02dT0%d:12:44.%03dZ", 1+n%12, 1+n%28, n%10, r.IntN(1000)))
	put("token", fmt.Sprintf("%016x%016x", r.Uint64(), r.Uint64()))
	put("order", fmt.Sprintf("o%d", 1000+n*7))
	put("total", fmt.Sprintf("%d.50", 3+n*3))
	return v
}

// make makes the n-th id.
func (k ids) make(n int, r *rand.Rand) string {
	random := make([]byte, 16)
	for i := range random {
		random[i] = byte(r.Uint32())
	}
	switch k {
	case uuid:
		random[6], random[8] = 0x40|random[6]&15, 0x80|random[8]&63
		return fmt.Sprintf("%x-%x-%x-%x-%x", random[:4], random[4:6], random[6:8], random[8:10], random[10:])
	case ulid:
		const letters = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"
		text := []byte("01M816QS")
		for range 18 {
			text = append(text, letters[r.IntN(32)])
		}
		return string(text)
	case hex24:
		return hex.EncodeToString(random[:12])
	case serial:
		return fmt.Sprint(1000 + n)
	}
	const letters = "23456789abcdefghjkmnpqrstuvwxyz"
	text := []byte("u")
	for range 5 {
		text = append(text, letters[r.IntN(len(letters))])
	}
	if n >= 1000 { // with so many ids, two of them could be equal
		return string(text) + fmt.Sprint(n)
	}
	return string(text)
}

// moved gives person 7 new values for the constraints. The old locks keep the old values.
func moved(v vars, locks []lock) vars {
	now := maps.Clone(v)
	for _, l := range locks {
		old := v[l.of][0]
		if now[l.of][0] != old {
			continue // another lock has the same constraint
		}
		switch l.of {
		case "phone", "tel":
			now[l.of] = []string{strings.Replace(old, "4915", "4917", 1)}
		case "serial", "sub", "wallet":
			now[l.of] = []string{old[:len(old)-2] + "77"}
		default:
			now[l.of], now["previous"] = []string{"new" + old}, []string{old}
		}
	}
	return now
}

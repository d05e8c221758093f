package counters

import (
	"maps"
	"slices"
	"strconv"
	"strings"

	"tallylock/dynamo/attr"
	"tallylock/dynamo/guess"
	"tallylock/dynamo/layout"
)

// keyVariable is a part of a key that differs among the counters of a family.
type keyVariable struct {
	name           string
	part           int // the index of the key part
	before, behind string
}

// of returns the variable's text in a row's key.
func (v *keyVariable) of(r *countRow) string {
	return strings.TrimSuffix(strings.TrimPrefix(r.parts[v.part].text, v.before), v.behind)
}

// alikes divides a group into smaller groups. In each of them, all keys have the same form.
func (g *countGroup) alikes() []*countGroup {
	var out []*countGroup
	at := map[string]*countGroup{}
	for _, r := range g.rows {
		form := ""
		for n, p := range r.parts {
			if p.inSort && (n == 0 || !r.parts[n-1].inSort) {
				form += " "
			}
			form += "*" + p.sep
			if n == 0 && p.sep != "" || p.inSort && p.sep != "" && !r.parts[n-1].inSort {
				form += p.text // another first word means another form
			}
		}
		if at[form] == nil {
			c := *g
			c.rows = nil
			at[form] = &c
			out = append(out, &c)
		}
		at[form].rows = append(at[form].rows, r)
	}
	return out
}

// variables lists the parts in which the keys of a group differ. A part with the same text in all keys is
// also a variable if it may be an id and there may be more such items.
func (s *countSheet) variables(g *countGroup) []keyVariable {
	var out []keyVariable
	taken := map[string]bool{}
	for n := range g.rows[0].parts {
		texts := g.textsAt(n)
		one := allSame(texts)
		p := g.rows[0].parts[n]
		many := g.entities ||
			!s.t.Whole && n > 0 && g.rows[0].parts[n-1].word && !saysCounter(nameWords(g.rows[0].parts[n-1].text))
		if one && (p.word || !many || len(g.rows) > 1 && !g.entities) {
			continue
		}
		v := keyVariable{part: n}
		if !one {
			v.before, v.behind = affixes(texts)
		}
		v.name = s.variableName(g, n, taken)
		for _, other := range out { // a variable with the same texts as an earlier one gets the same name
			if !slices.ContainsFunc(g.rows, func(r *countRow) bool { return other.of(r) != v.of(r) }) {
				v.name = other.name
			}
		}
		taken[v.name] = true
		out = append(out, v)
	}
	return out
}

// textsAt lists the texts at one part of the group's keys.
func (g *countGroup) textsAt(part int) []string {
	var texts []string
	for _, r := range g.rows {
		texts = append(texts, r.parts[part].text)
	}
	return texts
}

func allSame(texts []string) bool {
	return !slices.ContainsFunc(texts, func(t string) bool { return t != texts[0] })
}

// affixes returns the beginning and the end that all texts share, cut to whole words.
func affixes(texts []string) (before, behind string) {
	before, behind = guess.CommonEnds(texts)
	before = before[:strings.LastIndexAny(before, "_-.=@ ")+1]
	if at := strings.IndexAny(behind, "_-.=@ "); at >= 0 {
		behind = behind[at:]
	} else if !saysCounter(nameWords(behind)) {
		behind = ""
	}
	if slices.ContainsFunc(texts, func(t string) bool { return len(before)+len(behind) >= len(t) }) {
		return "", ""
	}
	return before, behind
}

// variableName names a variable after the word before it: TENANT#{tenant}.
func (s *countSheet) variableName(g *countGroup, part int, taken map[string]bool) string {
	p := g.rows[0].parts[part]
	var words []string
	if g.sharded(part, p.keyName(s.t.Schema)) && !taken[shardName] {
		return shardName
	}
	if texts := g.textsAt(part); !slices.ContainsFunc(texts, func(t string) bool { return !isYear(t) }) {
		words = []string{"year"}
	} else if part > 0 && g.rows[0].parts[part-1].inSort == p.inSort {
		words = nameWords(g.rows[0].parts[part-1].text)
	} else if part == 0 {
		words = nameWords(s.t.Schema.HashName)
	}
	name := strings.Join(words, "_")
	if saysCounter(words) || reserved[name] || name == "" || name == shardName {
		name = "name"
	}
	for taken[name] {
		name += "2"
	}
	return name
}

// shardName is the name of the variable for the shards of one counter. The counter's value is the sum of
// its shards.
const shardName = "shard"

// keyName returns the name of the key attribute to which the part belongs.
func (p keyPart) keyName(s attr.Schema) string {
	if p.inSort {
		return s.RangeName
	}
	return s.HashName
}

// sharded reports whether a part of the keys is the number of a shard of one counter. The part must have all numbers
// from 0 or 1 on. A word of the key must be shard. Without this word, there must be at least three numbers after a
// counter word and a name, as in COUNTER#home#7. The name must not be one of subjects: the numbers may be the numbers
// of orders or invoices.
func (g *countGroup) sharded(part int, key string) bool {
	texts := g.textsAt(part)
	before, _ := affixes(texts)
	words := slices.Concat(nameWords(key), nameWords(before), g.rows[0].about)
	named := slices.ContainsFunc(words, func(w string) bool { return singular(w) == shardName })
	if parts := g.rows[0].parts[:part]; !named && (part < 2 || parts[part-1].word ||
		!saysCounter(nameWords(parts[part-2].text)) || subjects[plainName(parts[part-1].text)]) {
		return false
	}
	seen := map[string]bool{}
	for _, t := range texts {
		digits := strings.TrimPrefix(t, before)
		if seen[strings.TrimLeft(digits, "0")] = true; !onlyDigits(digits) {
			return false
		}
	}
	for n := 1; n < len(seen); n++ {
		if !seen[strconv.Itoa(n)] {
			return false
		}
	}
	return len(seen) > 1 && (named || len(seen) > 2) && (seen[""] || seen[strconv.Itoa(len(seen))])
}

// reserved are names that templates use for something else, or that have no meaning.
var reserved = wordSet("v id pk sk number hash key range sort partition_key primary_key")

// templatesOf returns the templates of keys that have the given parts, with variables in place of some
// parts.
func templatesOf(parts []keyPart, vars []keyVariable) (pk, sk string) {
	var hash, sort strings.Builder
	for n, p := range parts {
		text := layout.Literal(p.text)
		for _, v := range vars {
			if v.part == n {
				text = layout.Literal(v.before) + "{" + v.name + "}" + layout.Literal(v.behind)
			}
		}
		if p.inSort {
			sort.WriteString(text + layout.Literal(p.sep))
		} else {
			hash.WriteString(text + layout.Literal(p.sep))
		}
	}
	pk, sk = hash.String(), sort.String()
	if pk == sk && len(vars) > 0 {
		sk = "{pk}"
	}
	return pk, sk
}

func sortedKinds(kinds map[string][]*countRow) []string { return slices.Sorted(maps.Keys(kinds)) }

func sortedNumbers(r *countRow) []string { return slices.Sorted(maps.Keys(r.numbers)) }

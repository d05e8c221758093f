package infer

import (
	"slices"
	"strings"

	"tallylock/dynamo/attr"
	"tallylock/dynamo/layout"
)

// Search is what one inference knows. It must not be used by two goroutines at once.
type Search struct {
	own    *table
	tables []*table // own and the others
	chains []chain
	runs   runs
	// ids are the shapes of items that a text tells from each other, and shapeOf the shape
	// of each item.
	ids     map[string][]string
	shapeOf map[*entry]string
	hashes  bool // digests stand in keys

	// What the items lead to is worked out once, and again after some were added.
	accounts []*kind // those of own
	spelt    map[string][]spelling
	proposed map[attribute][]*proposal
}

// attribute is one of a kind's items.
type attribute struct {
	of   *kind
	path string
}

func newSearch(own layout.Sample, others []layout.Sample) *Search {
	s := &Search{own: newTable(own)}
	s.tables = []*table{s.own}
	for _, other := range others {
		s.tables = append(s.tables, newTable(other))
	}
	s.index()
	return s
}

// index takes the keys apart again, after items were added.
func (s *Search) index() {
	s.chains, s.hashes = chainsFor(s.tables)
	s.runs = runsOf(s.tables)
	s.ids, s.shapeOf = map[string][]string{}, map[*entry]string{}
	for _, t := range s.tables {
		for _, g := range t.shapes() {
			name := t.Name + "\x00" + g.hash + "\x00" + g.sort
			for _, e := range g.entries {
				s.shapeOf[e] = name
			}
			if g.kind != nil {
				for _, id := range g.kind.ids() {
					s.ids[id] = append(s.ids[id], name)
				}
			}
		}
	}
	s.accounts = kinds(s.own)
	s.spelt, s.proposed = map[string][]spelling{}, map[attribute][]*proposal{}
}

// schemaOf is the schema of one of the tables.
func (s *Search) schemaOf(table string) attr.Schema {
	for _, t := range s.tables {
		if t.Name == table {
			return t.Schema
		}
	}
	return attr.Schema{}
}

// mostProposals is how many proposals of an attribute are counted.
const mostProposals = 6

// rules lists the rules that the sample shows, the best of each place that locks are kept
// in and each kind of account.
func (s *Search) rules(good func(*rule) bool) []*rule {
	var all []*rule
	for _, k := range s.accounts {
		for _, path := range k.paths() {
			unique := k.unique(path)
			if strings.ContainsAny(path, "{}") || !unique && !k.uniqueWithin(path) {
				continue
			}
			inKey := k.inOwnKey(path)
			proposals := s.proposals(k, path)
			if !unique {
				proposals = slices.DeleteFunc(slices.Clone(proposals), func(p *proposal) bool { return variables(p) == 0 })
			}
			for _, p := range proposals[:min(len(proposals), mostProposals)] {
				if r := s.best(k, path, p); r != nil && good(r) && (!inKey || r.saysLock()) {
					all = append(all, r)
				}
			}
		}
	}
	return all
}

// best is the rule of a proposal with the chain that explains most, the simplest of those.
func (s *Search) best(k *kind, path string, p *proposal) *rule {
	most, explains := 0, -1
	for c := range s.chains {
		if p.chains[c] > most {
			most, explains = p.chains[c], c
		}
	}
	if explains < 0 {
		return nil
	}
	return s.rule(k, path, p, s.chains[explains])
}

package plan

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"slices"

	"tallylock/dynamo"
	"tallylock/dynamo/attr"
	"tallylock/dynamo/client"
)

// An account has confidential attributes, such as a password hash, that no change of a value needs. So the journal
// keeps only the attributes that a change compares or sets, and the attributes that identify the item for the layout.
// A deleted item is kept whole, because the undo of the deletion needs all attributes. The config can forbid this for
// accounts (journal_images = false).

// NoImageWhy is the reason why the deletion of an account cannot be undone.
const NoImageWhy = "the journal does not keep the deleted account (journal_images = false)"

// ReduceImages removes from each image the attributes that the plan does not need. If NoImage is set, only a digest of
// a deleted account remains.
func (p *Plan) ReduceImages(t *dynamo.Table) {
	for n := range p.Images {
		i := &p.Images[n]
		switch deleted := p.deletes(i.Table, i.Key); {
		case i.Item == nil || deleted && !(p.NoImage && t.Layout.KindOf(t.Schema, i.Item) != nil && i.Table == t.Name):
		case deleted:
			i.Item, i.Digest = nil, ItemDigest(i.Item)
		default:
			i.Item = p.restsOn(t, *i)
		}
	}
}

func (p *Plan) deletes(table string, key attr.Key) bool {
	return slices.ContainsFunc(p.Steps, func(s Step) bool {
		return slices.ContainsFunc(s.Writes, func(w client.Write) bool {
			return w.Verb == client.Delete && w.Table == table && w.Key.Equal(key)
		})
	})
}

// restsOn returns a reduced item: its key, the attributes that the plan compares or sets, and the attributes
// that identify the item.
func (p *Plan) restsOn(t *dynamo.Table, i Image) attr.Item {
	out := i.Key.Item()
	keep := func(path []string) {
		if v := ValueAt(i.Item, path); v.Exists() && !ValueAt(out, path).Exists() {
			out = assign(out, client.Term{Path: path, Value: v})
		}
	}
	for _, s := range p.Steps {
		for _, w := range s.Writes {
			if w.Table != i.Table || !w.Key.Equal(i.Key) {
				continue
			}
			for _, term := range slices.Concat(w.If, w.Set) {
				keep(term.Path)
			}
		}
	}
	for _, name := range p.tellsOf(t, i) {
		keep(PathIn(i.Item, name))
	}
	return out
}

// tellsOf lists the attributes that identify an item for the layout. For an account it adds the attributes that
// determine the key of the account's lock.
func (p *Plan) tellsOf(t *dynamo.Table, i Image) (names []string) {
	for _, a := range t.Layout.Accounts {
		names = append(names, a.Is.Attribute)
		for _, c := range a.Constraints {
			names = append(names, c.Is.Attribute)
		}
	}
	for _, c := range t.Layout.Counters {
		names = append(names, c.Is.Attribute)
	}
	if kind := t.Layout.KindOf(t.Schema, i.Item); kind != nil && i.Table == t.Name {
		for _, c := range kind.Constraints {
			if c.Name == p.Constraint {
				names = append(names, kind.Rests(t.Schema, i.Item, c)...)
			}
		}
	}
	return names
}

// ItemDigest returns a hash of a whole item.
func ItemDigest(item attr.Item) string {
	text, err := json.Marshal(item)
	if err != nil {
		return "" // cannot happen: the item was decoded from DynamoDB's response
	}
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:])
}

// HasAccount reports whether the plan deletes or restores a whole account, with all its attributes.
func (p *Plan) HasAccount() bool { return p.Kind == KindDeleteAccount || p.Kind == KindRestore }

// ForJournal returns the plan for the journal. If NoImage is set, the returned plan lacks the values of the deleted
// account, and its request cannot be sent again.
func (p *Plan) ForJournal() *Plan {
	if !p.NoImage {
		return p
	}
	kept := *p
	kept.Steps = slices.Clone(p.Steps)
	for n := range kept.Steps {
		s := &kept.Steps[n]
		s.Writes = slices.Clone(s.Writes)
		for m := range s.Writes {
			if w := &s.Writes[m]; p.DigestOf(*w) != "" {
				w.If = nil
			}
		}
	}
	return &kept
}

// DigestOf returns the digest of an action's item if the journal must not keep the item; else empty.
func (p *Plan) DigestOf(w client.Write) string {
	for _, i := range p.Images {
		if i.Table == w.Table && i.Key.Equal(w.Key) {
			return i.Digest
		}
	}
	return ""
}

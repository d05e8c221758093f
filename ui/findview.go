package ui

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"tallylock/dynamo"
	"tallylock/keymap"
)

func (s *findScreen) content() content {
	a := s.app
	c := content{list: &s.list, rows: s.rows(), hints: s.hints(), blurred: s.typing}
	top, end := s.question()
	c.top = []string{top, a.topRule(1, end)}
	c.cover = &coverage{part: 1, working: -1}
	since, busy := a.flights.busy(finding)
	switch {
	case busy:
		c.cover.working = a.phase(since)
		c.cover.right = []span{{asMuted, lasts(a.now().Sub(since).Truncate(100 * time.Millisecond))}}
		c.instead = func(d *doc) {
			d.row(func(l *line) {
				l.put(asMuted, " Looking for who holds ")
				l.value(asStrong, s.asked)
				l.put(asMuted, ".")
			})
		}
	case s.err != nil:
		c.instead = func(d *doc) { a.errorState(d, s.err) }
	case s.answer == nil:
		c.instead = s.intro
	default:
		s.picture(&c)
	}
	return c
}

// question is row 1: the field, or what was asked and how it was answered.
func (s *findScreen) question() (string, int) {
	a := s.app
	l := newLine(a.st, a.size.w, a.behind())
	l.put(asText, " ")
	l.put(asKey, a.keys.Key(keymap.Find))
	l.put(asText, " ")
	if s.typing {
		s.field.draw(l, asBold, a.size.w-l.at-1, "an e-mail, a handle or an account id", true)
		return l.done(), min(4+max(cellsShown(s.field.Value()), 1), a.size.w)
	}
	_, busy := a.flights.busy(finding)
	words := "answered in " + lasts(s.took) + " · "
	from := a.size.w - 1 - cells(words) - 10
	l.fit(asBold, s.asked, from-3-l.at)
	end := l.at
	if s.answer != nil && s.err == nil && !busy {
		l.to(from)
		l.put(asMuted, words)
		if s.answer.Complete {
			l.put(asGood, glyphYes)
			l.put(asMuted, " complete")
		} else {
			l.put(asWarn, "incomplete")
		}
	}
	return l.done(), end
}

func (s *findScreen) intro(d *doc) {
	t := s.app.table
	d.gap()
	var names []string
	for _, c := range t.Layout.Constraints() {
		names = append(names, c.Name)
	}
	for _, c := range t.Layout.Unlocked() {
		names = append(names, c.Name)
	}
	d.para(4, asText, "Type "+aList(append(names, "account id"), "or")+", then enter.")
	d.gap()
	d.para(4, asMuted, fmt.Sprintf("A few point reads tell who holds it, whether its lock is in order, and which spellings people mix up with it. Where only reading the whole table tells, that is done by itself as far as it costs no more than %s read units.",
		units(t.Connection().AutoReadUnits())))
}

// aList writes "an a, a b or a c".
func aList(words []string, last string) string {
	words = slices.Clone(words)
	for n, w := range words {
		words[n] = article(w) + " " + w
	}
	if len(words) == 1 {
		return words[0]
	}
	return strings.Join(words[:len(words)-1], ", ") + " " + last + " " + words[len(words)-1]
}

// article is "a" or "an", by how a word sounds: a username, an uncle.
func article(word string) string {
	word = strings.ToLower(word)
	for _, you := range [...]string{"eu", "uni", "ur", "us", "ut", "uu"} {
		if strings.HasPrefix(word, you) {
			return "a"
		}
	}
	if word != "" && strings.Contains("aeiou", word[:1]) {
		return "an"
	}
	return "a"
}

// picture is the answer: the sentence, the readings, and what was read.
func (s *findScreen) picture(c *content) {
	a := s.app
	main := s.main()
	c.above = func(d *doc) { s.above(d, main) }
	c.heads = func(l *line) {
		cols := findColumnsOf(l.width)
		heads(l, cell{2, "READ AS"}, cell{cols.account, "ACCOUNT"}, cell{cols.lock, "LOCK"}, cell{cols.verdict, "VERDICT"})
	}
	price := units(s.answer.ReadUnits)
	c.cover.left = []span{{asMuted, "what was read"}}
	c.cover.right = []span{{asMuted, price + " read units"}}
	c.more = func(n int) []span {
		more := []span{{asText, fmt.Sprintf("%d more", n)}}
		if a.size.wide() {
			return more
		}
		return append(more, span{asMuted, " · what was read"})
	}
	c.depth = min(max(len(s.answer.Reads), 3), 5)
	c.beneath = s.evidence
	c.beside = s.besides
	if a.size.wide() {
		c.cover.left = s.position()
		complete := "complete"
		if !s.answer.Complete {
			complete = "incomplete"
		}
		c.cover.right = []span{{asMuted, price + " read units · " + complete}}
		c.below = func(d *doc) {
			s.how(d, 2, main)
			s.journal(d, 2)
		}
	}
}

// position is the number of the selected row among those that can be selected.
func (s *findScreen) position() []span {
	rows := s.rows()
	at, of := 0, 0
	for n := range rows.Len() {
		if _, _, ok := rows.Row(n); ok {
			of++
			if n <= s.list.cursor {
				at = of
			}
		}
	}
	return []span{{asMuted, position(at, of, false)}}
}

// above is the sentence, the consequence, and the key to press.
func (s *findScreen) above(d *doc, main *dynamo.Relation) {
	a := s.app
	wide := a.size.wide()
	if wide {
		d.gap()
	}
	if main == nil {
		s.withoutLocks(d)
		return
	}
	sign := verdictSign(main.Verdict, main.Provisional)
	col := max(13, 1+2+cells(sign.word)+2)
	for n, row := range atMost(3, wrap(s.sentence(main), d.width-col-1)) {
		d.row(func(l *line) {
			if n == 0 {
				l.to(1)
				sign.draw(l)
			}
			l.to(col)
			l.words(asBold, row, l.width-l.at-1)
		})
	}
	if wide {
		d.gap()
	}
	so := sentence(main.Consequence())
	stuck := main.Lock.Exists && (main.Verdict == dynamo.Orphaned || main.Verdict == dynamo.Stale)
	if stuck {
		so += " Releasing the lock frees the " + main.Constraint.Name + "; no account is changed by that."
	}
	if s.byID() != nil && main.Verdict == dynamo.Held {
		so = ""
	}
	if s.answer.Whole != nil && main.Verdict == dynamo.Unknown {
		so = sentence(main.Why)
	}
	for _, row := range atMost(3, wrap(so, d.width-col-1)) {
		d.row(func(l *line) {
			l.to(col)
			l.words(asText, row, l.width-l.at-1)
		})
	}
	if note := s.answer.Note(); note != "" {
		d.row(func(l *line) {
			l.to(col)
			l.words(asStrong, sentence(note), l.width-l.at-1)
		})
	}
	d.gap()
	d.row(func(l *line) {
		l.to(col)
		s.presses(l, main)
	})
	if why := a.whyRelease(main); stuck && why != "" {
		d.row(func(l *line) {
			l.to(col)
			l.words(asMuted, "release: "+why, l.width-l.at-1)
		})
	}
	d.gap()
}

// withoutLocks says what is known of values that no locks keep.
func (s *findScreen) withoutLocks(d *doc) {
	if len(s.answer.Unlocked) == 0 {
		d.para(1, asBold, "This layout keeps no values.")
	}
	for _, u := range s.answer.Unlocked {
		d.para(1, asBold, u.Sentence())
		for _, so := range []string{u.Consequence(), u.Why} {
			if so != "" {
				d.para(1, asText, sentence(so))
			}
		}
	}
	d.gap()
	if key := s.app.keys.Key(keymap.Pause); s.answer.Whole != nil && key != "" {
		d.row(func(l *line) {
			l.to(1)
			l.put(asKey, key)
			l.put(asText, " read the whole table")
		})
		d.gap()
	}
}

// presses are the keys of the answer itself.
func (s *findScreen) presses(l *line, main *dynamo.Relation) {
	a := s.app
	put := func(action keymap.Action, words string) {
		if key := a.keys.Key(action); key != "" && cells(key)+1+cells(words) < l.width-l.at {
			l.put(asKey, key)
			l.put(asText, " "+words)
			l.to(l.at + 4)
		}
	}
	releases := main.Lock.Exists && a.whyRelease(main) == ""
	if releases {
		put(keymap.Release, "release the lock")
	}
	if word := a.mendWord(main); a.whyMend(main) == "" && (!releases || word != "mend") {
		put(keymap.Mend, word+" it")
	}
	if s.answer.Whole != nil {
		put(keymap.Pause, "read the whole table")
	}
	put(keymap.Copy, "copy this answer")
	if s.app.size.wide() && main == s.selected() && s.why(keymap.Open) == "" {
		what := "open the lock"
		if main.Account != nil {
			what = "open the account"
		}
		put(keymap.Open, what)
	}
}

// evidence lists what was read in one line each.
func (s *findScreen) evidence(d *doc) {
	reads := s.answer.Reads
	found := 38
	for _, r := range reads {
		found = max(found, 13+cellsShown(r.What)+2)
	}
	found = min(found, d.width-12-27)
	for n, r := range reads {
		if n == d.height-1 && len(reads) > d.height {
			d.lacks = true
			d.row(func(l *line) {
				l.to(3)
				l.put(asMuted, fmt.Sprintf("and %d more reads", len(reads)-n))
			})
			return
		}
		d.row(func(l *line) {
			l.to(3)
			l.put(asMuted, clock(r.At)+"  ")
			l.fit(asText, r.What, found-l.at-1)
			l.to(found)
			how := d.width - 12
			l.words(asMuted, r.Found, how-found-1)
			l.to(how)
			l.words(asMuted, r.How, 11)
		})
	}
}

// belowNeeds is how many rows below the list show how an answer comes about, and
// what was done to the lock.
const belowNeeds = 10

func (s *findScreen) besides(d *doc) {
	a := s.app
	d.gap()
	if r := s.selected(); r != nil {
		if r.Lock.Exists {
			d.head(1, "LOCK")
			a.lockTree(d, r)
			d.gap()
		}
		for n := range r.Claimants[:min(len(r.Claimants), 2)] {
			d.head(1, "ACCOUNT")
			a.accountTree(d, &r.Claimants[n])
			d.gap()
		}
		if r.OwnerAccount != nil {
			d.head(1, "THE OWNER IT NAMES")
			a.accountTree(d, r.OwnerAccount)
			d.gap()
		}
	}
	d.row(func(l *line) {
		l.to(1)
		l.put(asMuted, "WHAT WAS READ")
		l.ends(asMuted, "RU", l.width-2)
	})
	readRows(d, 1, s.answer.Reads)
	s.releasing(d)
	if below := a.list.height - s.rows().Len(); !a.size.wide() || d.whole && below < belowNeeds {
		s.how(d, 1, s.main())
		s.journal(d, 1)
	}
}

// how says how such a thing comes about, where there is room for it.
func (s *findScreen) how(d *doc, col int, main *dynamo.Relation) {
	if main == nil {
		return
	}
	words := ""
	switch main.Verdict {
	case dynamo.Orphaned:
		words = "Most often an account was deleted, or its " + main.Constraint.Name + " changed, by something that did not know of the lock: a clean-up job, a restore, an expiry date."
	case dynamo.Stale:
		words = "Most often the " + main.Constraint.Name + " was changed by two requests at once, or by something that wrote the new lock and left the old."
	case dynamo.Missing:
		words = "Most often the account was written by an import or a restore that put no lock, or somebody else's deletion took the lock with it."
	case dynamo.Duplicate:
		words = "Most often one of the accounts was written without a look at the lock: an import, a merge, an overwriting put."
	}
	if words == "" {
		return
	}
	d.gap()
	d.gap()
	d.head(col, "HOW THIS COMES ABOUT")
	d.para(col, asText, words)
}

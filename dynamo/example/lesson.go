// Package example derives a layout from items that a person points at: an account and the lock of one of its values, or
// a counter and an item with one of the counter's numbers. It searches only rules that explain the items exactly. It
// asks a person about lines that cannot be derived from the items and the sample. The package reads only through a
// guess.Probe. The derived layout is a guess until a person accepts it. Start at Lesson and Derive.
package example

import (
	"context"
	"slices"

	"tallylock/dynamo/attr"
	"tallylock/dynamo/guess"
	"tallylock/dynamo/layout/config"
)

// Lesson holds the items that a person has pointed at in one table, and the person's answers. It is a value: its
// methods return changed copies, so a caller can keep earlier ones. The zero Lesson is empty.
type Lesson struct {
	Pairs   []Pair
	Numbers []Number
	Answers []Answer
}

// Pair is a healthy account, and the lock of one of its values.
type Pair struct {
	Account, Lock attr.Item
	LockTable     string // empty if the lock is in the table of the accounts
}

// Number is a counter, and an item that carries a number which this counter has handed out.
type Number struct {
	Counter, ID attr.Item
	IDTable     string // empty if the item is in the table of the counter
}

// Answer is the text that a person has chosen or typed for one line of the layout. Section and Setting name the
// line as in config.Layout.With. Result.Answer adds the pair of the line's constraint: later answers and pairs may
// move the constraint to another section.
type Answer struct {
	Section, Setting, Text string
	pair                   int // the number of the pair, from 1; 0 if the section alone names the line
}

// sameLine reports whether two answers are about one line.
func (a Answer) sameLine(b Answer) bool {
	return a.Setting == b.Setting && a.pair == b.pair && (a.pair > 0 || a.Section == b.Section)
}

// WithPair returns a copy of the lesson with another pair. The pair may describe another constraint, or decide a line
// that the earlier pairs left open.
func (l Lesson) WithPair(p Pair) Lesson {
	l.Pairs = append(slices.Clip(l.Pairs), p)
	return l
}

// WithNumber returns a copy of the lesson with another counter.
func (l Lesson) WithNumber(n Number) Lesson {
	l.Numbers = append(slices.Clip(l.Numbers), n)
	return l
}

// WithAnswer returns a copy of the lesson in which one line has the given text. It replaces an earlier answer
// about the line.
func (l Lesson) WithAnswer(a Answer) Lesson {
	l.Answers = append(slices.DeleteFunc(slices.Clone(l.Answers), a.sameLine), a)
	return l
}

// Empty reports whether the lesson has no examples.
func (l Lesson) Empty() bool { return len(l.Pairs)+len(l.Numbers) == 0 }

// Tables lists the other tables whose items a person has pointed at.
func (l Lesson) Tables() (names []string) {
	add := func(name string) {
		if name != "" && !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	for _, p := range l.Pairs {
		add(p.LockTable)
	}
	for _, n := range l.Numbers {
		add(n.IDTable)
	}
	return names
}

// answer returns a person's answer about a line.
func (l Lesson) answer(section, setting string) (string, bool) {
	for _, a := range l.Answers {
		if a.Section == section && a.Setting == setting {
			return a.Text, true
		}
	}
	return "", false
}

// Result is the layout that Derive has derived from a lesson.
type Result struct {
	// Config is the derived layout. It fits every pair of the lesson. It also fits every number, unless an answer has
	// changed the counter.
	Config config.Layout
	// Evidence has one sentence for each counter in Config: the sample's evidence for the counter. The evidence for
	// accounts and constraints is counted when the table is opened with Config.
	Evidence []string
	// Choices are the lines that neither the examples nor the sample determine, in the order in which Derive found them.
	// They include lines that a person has answered.
	Choices []Choice

	pairs map[string]int // the first pair of each constraint, from 1, by its section
}

// Choice is a line of the layout that neither the examples nor the sample determine.
type Choice struct {
	// Section and Setting name the line as in config.Layout.With.
	Section, Setting string
	// Chosen is the text that the line has in the layout. It is empty if the layout lacks the line.
	Chosen string
	// Candidates lists the texts that fit the examples, the likeliest first. Chosen is one of them, unless a
	// person typed it.
	Candidates []Candidate
	// Typed is set if a person may also type another text, such as a time.
	Typed bool
	// Question asks a person for the text of the line, in one sentence.
	Question string
	// Answered is set if Chosen is the answer of a person.
	Answered bool
}

// Candidate is one possible text of a line.
type Candidate struct {
	Text string // as in config.Layout.With; empty if the layout may lack the line
	// Hits counts the sampled values that have their lock with this text. Values counts the values for which the sample
	// shows whether the lock exists. Both are 0 if the sample does not show it.
	Hits, Values int
}

// Open lists the choices that no person has answered.
func (r *Result) Open() []Choice {
	return slices.DeleteFunc(slices.Clone(r.Choices), func(c Choice) bool { return c.Answered })
}

// Derive derives a layout from a lesson. own is the sample of the table. others are samples of the tables that
// Lesson.Tables lists. A sample may have no items. Through the probe, Derive reads locks of other accounts, to decide
// between rules; the probe may be nil. If the lesson contradicts itself, or if the items cannot be examples, Derive
// returns a *Refusal. Equal samples give equal results.
func (l Lesson) Derive(
	ctx context.Context, own guess.Sample, others []guess.Sample, probe guess.Probe,
) (*Result, error) {
	d := &deriving{Lesson: l, own: own, others: slices.Clone(others), probe: probe, pairOf: map[string]int{}}
	d.Answers = slices.Clone(l.Answers)
	if l.Empty() {
		return nil, refuse("there are no examples yet", "choose an account and its lock, or a counter and an item with its number")
	}
	d.addExamples()
	d.config = config.Layout{Name: own.Name, Tables: []string{own.Name}}
	if err := d.accounts(ctx); err != nil {
		return nil, err
	}
	if err := d.counters(); err != nil {
		return nil, err
	}
	if err := d.finish(); err != nil {
		return nil, err
	}
	return &Result{Config: d.config, Evidence: d.evidence, Choices: d.choices, pairs: d.pairOf}, nil
}

// Answer returns a person's answer about a line of the derived layout.
func (r *Result) Answer(section, setting, text string) Answer {
	return Answer{section, setting, text, r.pairs[section]}
}

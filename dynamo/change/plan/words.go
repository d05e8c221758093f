package plan

import (
	"cmp"
	"fmt"

	"tallylock/dynamo/phrase"
)

// Wording describes a plan in words.
type Wording struct {
	// Title, Sentence and Lines are not sanitised.
	Title    string `json:"title"`
	Sentence string `json:"sentence"`
	Lines    []Line `json:"lines"`
	// Button labels the button that applies the plan: "Release the lock".
	Button string `json:"button"`
	// Done describes the result after the plan was applied: "the username "alan" is free".
	Done string `json:"done,omitempty"`
	// Collides warns that the application may be using this counter at the same moment.
	Collides string `json:"collides,omitempty"`
}

// Subject returns the subject of the plan in one word: the counter's name, the value (the account's value if locks keep
// digests), the account's key, or the lock's key if its value is empty.
func (p *Plan) Subject() string {
	if p.Kind.IsBackfill() {
		return p.Constraint
	}
	subject := cmp.Or(p.Counter, p.AccountValue, p.Value, p.Account)
	if subject == "" && len(p.Steps) > 0 && len(p.Steps[0].Writes) > 0 {
		subject = p.Steps[0].Writes[0].Key.Hash.Value.Display()
	}
	return subject
}

// String summarises the plan: "release username "alan" of accounts". It is not sanitised.
func (p *Plan) String() string {
	does := cmp.Or(operations[p.Kind].words, string(p.Kind))
	switch {
	case p.Counter != "" && p.Before != "" && p.After != "":
		return fmt.Sprintf("%s %s, %s → %s", does, p.Counter, phrase.Group(p.Before), phrase.Group(p.After))
	case p.Counter != "" && p.After != "":
		return fmt.Sprintf("%s %s, %s", does, p.Counter, phrase.Group(p.After))
	case p.Counter != "":
		return fmt.Sprintf("%s %s", does, p.Counter)
	case p.Kind.IsBackfill():
		return fmt.Sprintf("%s %s of %s", does, p.Constraint, p.Table)
	case p.Constraint != "" && p.After != "":
		return fmt.Sprintf("%s %s \"%s\" → \"%s\" of %s", does, p.Constraint, p.Before, p.After, p.Table)
	case p.Constraint != "":
		return fmt.Sprintf("%s %s \"%s\" of %s", does, p.Constraint, p.Subject(), p.Table)
	}
	return fmt.Sprintf("%s %s of %s", does, p.Account, p.Table)
}

// Line is a line of a plan in words: "delete", "UNIQ#HANDLE#alan / LOCK".
type Line struct {
	Label Label  `json:"label"`
	Text  string `json:"text"`
}

// Label is the label of a line, as displayed.
type Label string

// The labels that code depends on.
const (
	LabelPut     Label = "put"
	LabelRemove  Label = "remove"
	LabelSet     Label = "set"
	LabelDelete  Label = "delete"
	LabelOnlyIf  Label = "only if"
	LabelMark    Label = "mark"
	LabelLook    Label = "look"
	LabelHas     Label = "has"
	LabelLeftOut Label = "left out"
	LabelPrice   Label = "price"
	LabelUndo    Label = "undo"
	LabelSpelt   Label = "spelt"
	LabelMind    Label = "mind"
	LabelSince   Label = "since"
	LabelPlanned Label = "planned"
	// LabelNotKnown introduces a fact that needs more reads than the plan made.
	LabelNotKnown Label = "not known"
)

// AddLine adds a line to the plan's words.
func (w *Wording) AddLine(label Label, text string) { w.Lines = append(w.Lines, Line{label, text}) }

// Warns reports whether a line is a warning.
func (l Line) Warns() bool { return l.Label == LabelSpelt || l.Label == LabelMind }

// Lead returns the line with the first item that the change puts, sets, removes or deletes. A release by mark has
// lines of earlier steps before it.
func (p *Plan) Lead() Line {
	for _, l := range p.Lines {
		switch l.Label {
		case LabelPut, LabelSet, LabelRemove, LabelDelete:
			return l
		}
	}
	return Line{}
}

// Line returns the text of the first line with a label; empty if there is none.
func (p *Plan) Line(label Label) string {
	for _, l := range p.Lines {
		if l.Label == label {
			return l.Text
		}
	}
	return ""
}

package layout

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/pflag"

	"tallylock/dynamo"
	"tallylock/dynamo/attr"
	"tallylock/dynamo/client"
	"tallylock/dynamo/example"
	"tallylock/dynamo/mistake"
	"tallylock/dynamo/phrase"
	"tallylock/ui/cli/exit"
	"tallylock/ui/cli/print"
	"tallylock/ui/kit"
)

// examples has the flags of `layout` that name items as examples. A layout is derived from these items.
type examples struct {
	accounts, locks, counters, ids []string
	answers                        []string
}

func (e *examples) addFlags(set *pflag.FlagSet) {
	set.StringArrayVar(&e.accounts, "account", nil, "with --lock: derive the layout from the account with this `KEY`, in DynamoDB JSON")
	set.StringArrayVar(&e.locks, "lock", nil, "with --account: the lock of one of the account's values, as `[TABLE ]KEY`")
	set.StringArrayVar(&e.counters, "counter", nil,
		"with --id: derive the layout from the counter with this `KEY`; with --accept: accept the counter with this KEY or name")
	set.StringArrayVar(&e.ids, "id", nil, "with --counter: an item with a number from the counter, as `[TABLE ]KEY`")
	set.StringArrayVar(&e.answers, "answer", nil, "answer a question about a line of the derived layout: `'LINE = TEXT'`")
}

// given reports whether one of the flags --account, --lock, --id or --answer is given. It leaves out --counter, because
// --accept uses --counter, too.
func (e *examples) given() bool { return len(e.accounts)+len(e.locks)+len(e.ids)+len(e.answers) > 0 }

// check refuses an account without its lock, and a counter without an item that has one of its numbers.
func (e *examples) check() error {
	const op = "reading the command line"
	pair := func(first, second string, a, b int) error {
		switch {
		case a == b || a == 1 && b > 0:
			return nil
		case a == 0 || b == 0:
			return exit.Usage(op, fmt.Sprintf("--%s and --%s need each other", first, second), "add both flags")
		}
		return exit.Usage(op, fmt.Sprintf("--%s was given %d times, but --%s %d times", first, a, second, b),
			fmt.Sprintf("give a --%s for each --%s, or one --%[1]s for all", first, second))
	}
	switch {
	case !e.given():
		return nil
	case len(e.accounts)+len(e.locks)+len(e.ids) == 0:
		return exit.Usage(op, "--answer is about a derived layout, but there are no examples",
			"add --account KEY --lock KEY, or --counter KEY --id KEY")
	}
	if err := pair("account", "lock", len(e.accounts), len(e.locks)); err != nil {
		return err
	}
	return pair("counter", "id", len(e.counters), len(e.ids))
}

// args lists the flags again, for a command that repeats them.
func (e *examples) args() (all []string) {
	for _, of := range []struct {
		flag  string
		texts []string
	}{
		{"--account", e.accounts},
		{"--lock", e.locks},
		{"--counter", e.counters},
		{"--id", e.ids},
		{"--answer", e.answers},
	} {
		for _, text := range of.texts {
			all = append(all, of.flag, text)
		}
	}
	return all
}

// teach reads the items that the flags name, and derives the layout.
func (l showing) teach(ctx context.Context, t *dynamo.Table) (*dynamo.Taught, error) {
	lesson, err := l.lesson(ctx, t)
	if err != nil {
		return nil, err
	}
	taught, err := dynamo.Teach(ctx, t, lesson)
	if refusal, ok := errors.AsType[*example.Refusal](err); ok {
		return nil, exit.Usage("deriving a layout of "+t.Name, refusal.Why, refusal.Do)
	}
	if err != nil {
		return nil, err
	}
	return taught, checkAnswers(taught, lesson)
}

// checkAnswers refuses an answer about a line that the derived layout cannot have.
func checkAnswers(taught *dynamo.Taught, lesson example.Lesson) error {
	var sections []string
	for _, part := range taught.Config.Parts() {
		sections = append(sections, part.Path)
	}
	for _, a := range lesson.Answers {
		if !slices.Contains(sections, a.Section) {
			return exit.Usage("reading --answer", "the derived layout has no section "+a.Section+mistake.Meant(a.Section, sections...),
				"use one of: "+strings.Join(sections, ", "))
		}
	}
	return nil
}

// lesson reads the items.
func (l showing) lesson(ctx context.Context, t *dynamo.Table) (lesson example.Lesson, err error) {
	nth := func(texts []string, n int) string { return texts[min(n, len(texts)-1)] }
	for n, text := range l.locks {
		var p example.Pair
		if _, p.Account, err = itemOf(ctx, t, "account", nth(l.accounts, n)); err != nil {
			return lesson, err
		}
		if p.LockTable, p.Lock, err = itemOf(ctx, t, "lock", text); err != nil {
			return lesson, err
		}
		lesson = lesson.WithPair(p)
	}
	for n, text := range l.ids {
		var of example.Number
		if _, of.Counter, err = itemOf(ctx, t, "counter", nth(l.counters, n)); err != nil {
			return lesson, err
		}
		if of.IDTable, of.ID, err = itemOf(ctx, t, "id", text); err != nil {
			return lesson, err
		}
		lesson = lesson.WithNumber(of)
	}
	for _, text := range l.answers {
		line, said, found := strings.Cut(text, "=")
		line = strings.TrimSpace(line)
		at := strings.LastIndexByte(line, '.')
		if !found || at < 0 {
			return lesson, exit.Usage("reading --answer", fmt.Sprintf("%q does not have the form LINE = TEXT", text),
				"write an answer such as 'account[0].constraint[0].normalise = lower'")
		}
		if said = strings.TrimSpace(said); said == none || said == "none" {
			said = ""
		}
		lesson = lesson.WithAnswer(example.Answer{Section: line[:at], Setting: line[at+1:], Text: said})
	}
	return lesson, nil
}

// itemOf reads the item that a flag names. The text is the item's key. If the item is in another table than t, the name
// of that table comes before the key. If the item is in t, the returned table is empty.
func itemOf(ctx context.Context, t *dynamo.Table, flag, text string) (table string, item attr.Item, err error) {
	const form = `write a key such as {"PK":{"S":"UNIQ#EMAIL#ada@example.org"},"SK":{"S":"LOCK"}}`
	op := "reading --" + flag
	at := strings.IndexByte(text, '{')
	var key attr.Item
	if at < 0 || json.Unmarshal([]byte(text[at:]), &key) != nil {
		return "", nil, exit.Usage(op, "the text is not a key in DynamoDB JSON", form)
	}
	schema := t.Schema
	if table = strings.TrimSpace(text[:at]); table == t.Name {
		table = ""
	}
	if name := table; name != "" {
		if flag == "account" || flag == "counter" {
			return "", nil, exit.Usage(op, "the text begins with the name of a table, "+phrase.Quote(name)+", but --"+flag+" takes only a key",
				"name the table of the "+flag+" with --table")
		}
		d, err := t.Connection().Describe(ctx, name)
		if err != nil {
			return "", nil, err
		}
		schema = d.Schema
	}
	of := t.Name
	if table != "" {
		of = table
	}
	k, ok := schema.KeyOf(key)
	if !ok || len(key) != len(k.Item()) {
		return "", nil, exit.Usage(op, "the text is not a key of the table "+of,
			"give "+phrase.List(slices.DeleteFunc([]string{schema.HashName, schema.RangeName}, func(name string) bool { return name == "" })))
	}
	found, err := t.Connection().Reader().Get(ctx, of, []attr.Key{k}, true)
	if err == nil && found[k.ID()] == nil {
		err = &client.Error{Kind: client.Failed, Op: op, Why: fmt.Sprintf("%s has no item %s", of, k), Do: "correct the key"}
	}
	return table, found[k.ID()], err
}

// none is the printed text for a line that is not in the layout.
const none = "(none)"

// unanswered refuses to accept a derived layout that has open questions.
func (l showing) unanswered() error {
	var lines []string
	for _, c := range l.taught.Open() {
		lines = append(lines, c.String())
	}
	return exit.Usage("accepting the derived layout", "these lines need an answer first: "+phrase.List(lines),
		"run the command without --accept to see the questions, and add --answer 'LINE = TEXT' for each line")
}

// choice is the JSON of a line that neither the examples nor the sample determine.
type choice struct {
	Line       string      `json:"line"`
	Question   string      `json:"question"`
	Chosen     string      `json:"chosen"`
	Answered   bool        `json:"answered"`
	Typed      bool        `json:"typed"`
	Candidates []candidate `json:"candidates"`
}

// candidate is the JSON of a possible text of a line.
type candidate struct {
	Text   string `json:"text"`
	Hits   int    `json:"hits"`
	Values int    `json:"values"`
}

func choicesOf(taught *dynamo.Taught) (all []choice) {
	if taught == nil {
		return nil
	}
	all = []choice{}
	for _, c := range taught.Choices {
		one := choice{c.String(), c.Question, c.Chosen, c.Answered, c.Typed, []candidate{}}
		for _, text := range c.Candidates {
			one.Candidates = append(one.Candidates, candidate(text))
		}
		all = append(all, one)
	}
	return all
}

// writeChoices prints the lines that nobody has answered, with their candidates. It returns the number of lines.
func (l showing) writeChoices(p *print.Printer) (written int) {
	if l.taught == nil {
		return 0
	}
	names := map[string]string{}
	for _, part := range l.taught.Config.Parts() {
		names[part.Path] = part.Name
	}
	for _, c := range l.taught.Open() {
		p.Line(kit.Text, "")
		p.Line(kit.Text, "# ? %s, %s: %s", names[c.Section], c.Setting, c.Question)
		for _, one := range c.Candidates {
			text := one.Text
			if text == "" {
				text = none
			}
			seen := ""
			if one.Values > 0 {
				seen = fmt.Sprintf(": fits %s of %s", phrase.Number(one.Hits), phrase.Number(one.Values))
			}
			if one.Text == c.Chosen {
				seen += ", as printed above"
			}
			p.Line(kit.Text, "#   %s%s", text, seen)
			written++
		}
		p.Line(kit.Text, "# Answer with: --answer %s", phrase.ShellWord(c.String()+" = TEXT"))
		written += 3
	}
	return written
}

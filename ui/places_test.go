package ui_test

import (
	"fmt"
	"strings"
	"testing"

	"tallylock/dynamo"
	"tallylock/dynamo/embedded/sdk"
	"tallylock/dynamo/layout/config"
)

// noted adds another place with values to the config.
func (e *edited) noted(t *testing.T) {
	t.Helper()
	e.edit(t, "accounts", func(l *config.Layout) {
		for n := range l.Accounts[0].Constraints {
			l.Accounts[0].Constraints[n].Holders = []config.Holder{{Table: "accounts", Items: "NOTE#*/META", Attribute: "text"}}
		}
	})
}

// After a change of the config, the table is opened again. Esc does not lead to the table with the former layout.
func TestEscLeadsToNoFormerConfig(t *testing.T) {
	e := &edited{}
	s := onDemo(t, e.into)
	term := s.run(t)
	term.see("● held", "confirmed")
	term.to("hopper")
	term.press("gno")
	term.see("HOLDS")
	e.noted(t)
	term.press("<ctrl+r>")
	term.see("The config has changed: accounts is opened again.")
	term.quiet()
	term.see("VERDICT", "confirmed")
	if units := s.reads(func() { term.press("<esc>"); term.quiet() }); units > 0 {
		t.Errorf("esc read %v units:\n%s", units, term.screen())
	}
	term.press("<ctrl+r>")
	term.quiet()
	if f := term.screen(); strings.Contains(f, "The config has changed") {
		t.Errorf("esc led to the table with the former layout:\n%s", f)
	}
}

// A person accepts the layout of a table that is also in the history. Esc leads to the table with the accepted layout.
func TestEscLeadsToTheAcceptedLayout(t *testing.T) {
	s := onDemo(t, undescribed)
	term := s.run(t)
	term.see("VERDICT", "guessed", "confirmed")
	term.press(":NextIdTable<enter>")
	term.see("embedded › all tables")
	term.press(":")
	term.see("type a table")
	term.press("accounts<enter>")
	term.see("VERDICT", "guessed", "confirmed")
	for _, lock := range []string{"UNIQ#HANDLE#{v}", "UNIQ#EMAIL#{v}"} {
		term.press("L")
		term.see("accounts › layout", "guessed")
		term.on(lock)
		term.press("a")
		term.accepts(lock)
		term.see("Accepted, and stored for this table.")
	}
	term.gone("guessed")
	term.press("<esc>")
	for n := 0; n < 4 && !strings.Contains(term.screen(), "VERDICT"); n++ {
		term.press("<esc>")
		term.quiet()
	}
	if f := term.see("VERDICT", "confirmed"); strings.Contains(f, "guessed") {
		t.Errorf("the accepted layout is guessed again:\n%s", f)
	}
}

// A table with few accounts is read up to auto_read_units. A visit to another tab does not start further reads.
func TestAnotherTabAsksForNoMoreRows(t *testing.T) {
	s := onDemo(t, func(o *dynamo.Options) { o.AutoReadUnits, o.Layout, o.Asked = 20, "uniq", true })
	s.w, s.h, s.options.Table = 120, 40, "sparse"
	var items []sdk.Item
	for n := range 5 {
		v := fmt.Sprintf("a%04d", n)
		items = append(items, sdk.Item{"PK": sdk.S("ACCT#" + v), "SK": sdk.S("PROFILE"), "username": sdk.S(v)},
			sdk.Item{"PK": sdk.S("UNIQ#HANDLE#" + v), "SK": sdk.S("LOCK")})
	}
	text := sdk.S(strings.Repeat("x", 15_000))
	for n := range 600 {
		items = append(items, sdk.Item{"PK": sdk.S(fmt.Sprintf("NOTE#%05d", n)), "SK": sdk.S("META"), "text": text})
	}
	if err := sdk.Fill(t.Context(), s.demo.App(), sdk.Table("sparse", "PK:S", "SK:S"), items...); err != nil {
		t.Fatal(err)
	}
	term := s.run(t)
	term.see("read · provisional")
	term.quiet()
	if units := s.reads(func() { term.press("51"); term.quiet() }); units > 0 {
		t.Errorf("the journal and back read %v units:\n%s", units, term.screen())
	}
}

// If the table is opened again after a change of the config, a person can type a query at the same time.
func TestAQueryIsTypedWhileTheTableIsOpenedAgain(t *testing.T) {
	e := &edited{}
	d := &doors{shut: map[string]chan struct{}{}}
	s := onDemo(t, e.into, func(o *dynamo.Options) { d.next, o.Transport = o.Transport, d })
	term := s.run(t)
	term.see("● held", "confirmed")
	term.press(":")
	term.see("type a table")
	term.press("<esc>")
	e.noted(t)
	d.hold("DescribeTable")
	term.meanwhile("<ctrl+r>")
	term.see("is opened again")
	term.meanwhile(":query ")
	term.see("KEY")
	d.release("DescribeTable")
	term.press("ACCT")
	term.see("query ACCT")
}

// Esc closes the question whether to read on, even if the session is at its limit and the config has changed.
func TestTheQuestionToReadOnIsLeft(t *testing.T) {
	e := &edited{}
	s := onDemo(t, e.into, func(o *dynamo.Options) { o.SessionReadUnits = 300 })
	term := s.run(t)
	term.see("● held", "confirmed")
	term.quiet()
	s.spend(t)
	e.noted(t)
	term.press("<ctrl+r>")
	term.see("Read on?")
	term.press("<esc><esc><esc>")
	term.quiet()
	if f := term.screen(); strings.Contains(f, "Read on?") {
		t.Errorf("esc three times:\n%s", f)
	}
}

// If a person opens the choice of tables again while the chosen table is being read, the choice stays open.
func TestTheChoiceOfTablesStaysWhileAPersonTypes(t *testing.T) {
	s, d := twoTables(t)
	s.options.Table = ""
	term := s.run(t)
	term.see("type a table, or a command", "towns")
	term.quiet()
	d.hold(`"accounts"`)
	term.meanwhile("<ctrl+r>")
	term.see("towns")
	term.meanwhile("accounts<enter>")
	term.meanwhile("<ctrl+u><esc>")
	term.gone("type a table, or a command")
	term.meanwhile(":")
	term.see("type a table, or a command")
	term.meanwhile("to")
	d.release(`"accounts"`)
	term.quiet()
	if f := term.screen(); !strings.Contains(f, "choose") {
		t.Errorf("the choice of tables closed:\n%s", f)
	}
}

// If a person opens the help just after a reload, the table is still read again.
func TestAReloadIsNotLost(t *testing.T) {
	e := &edited{}
	s := onDemo(t, e.into)
	term := s.run(t)
	term.see("● held", "confirmed")
	term.quiet()
	if units := s.reads(func() {
		e.mu.Lock()
		term.meanwhile("<ctrl+r>?")
		term.gone("VERDICT")
		e.mu.Unlock()
		term.press("<esc>")
		term.quiet()
	}); units == 0 {
		t.Error("nothing was read again")
	}
}

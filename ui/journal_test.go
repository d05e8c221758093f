package ui_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"tallylock/dynamo"
	"tallylock/dynamo/change/journal"
	"tallylock/dynamo/client"
	"tallylock/dynamo/schema"
	"tallylock/ui/session"
)

// journal returns the path of the journal.
func (s *setup) journal() string { return s.options.Connections[0].Changer.Journal.Path() }

// release releases the selected lock, with a reason.
func (term *terminal) release(reason string) {
	term.t.Helper()
	term.press("r")
	term.see("▸ No, leave it", "price")
	term.press("<shift+tab><ctrl+u>" + reason + "<tab><tab><enter>")
	term.see("✓ Applied")
	term.press("<enter>")
	term.gone("Applied")
}

// The journal shows a change at once, the newest first. Enter opens its receipt.
func TestJournalShowsWhatWasChanged(t *testing.T) {
	s := onDemo(t)
	term := s.run(t)
	term.see("confirmed")
	term.press("5")
	term.see("No changes yet.", s.journal()[:40], "Changes are made on:", "2 locks       r release   m mend")
	term.press("1")
	term.ask("alan")
	term.release("ticket 48151")
	term.press("<esc>3")
	term.see("order_id", "RU/s")
	term.press("+")
	term.see("up to", "▸ No, leave it")
	term.press("<tab><enter>")
	term.see("✓ Applied")
	term.press("<enter>")
	term.gone("Applied")
	term.press("5")
	frame := term.see("▸ today", "bump NextIdTable", `release username "alan"`, "sam", "✓ applied", "1 of 2")
	if strings.Index(frame, "bump NextIdTable") > strings.Index(frame, `release username "alan"`) {
		t.Errorf("the older change stands above the newer:\n%s", frame)
	}
	term.press("j")
	term.see(`The username "alan" is free.`, "UNIQ#HANDLE#alan / LOCK", "ticket 48151", "R-20", "2 of 2")
	term.press("<enter>")
	term.see("journal › R-20", "RECEIPT", "by          sam", "RESULT", "✓ applied", "PLAN")
	term.press("G")
	term.see("BEFORE", `▸ item        {"PK":{"S":"UNIQ#HANDLE#alan"}`)
	term.press("<esc>")
	term.see("2 of 2")
}

// The journal can be filtered by value, reason, name or receipt.
func TestJournalIsFiltered(t *testing.T) {
	s := onDemo(t)
	term := s.run(t)
	term.ask("alan")
	term.release("ticket 48151")
	term.press("<esc>")
	term.ask("turing")
	term.release("ticket 4711")
	term.press("<esc>5")
	term.see("1 of 2")
	term.see("/ filter")
	term.press("F")
	term.see("F a value, a counter")
	term.press("<esc>/") // there is nothing to find in a journal
	term.see("/ a value, a counter")
	term.press("4815")
	frame := term.see("1 of 1 found, 2 changes in all", `release username "alan"`)
	if strings.Contains(frame, "turing") {
		t.Errorf("it does not filter:\n%s", frame)
	}
	term.press("x")
	term.see("No matching change.", "show all again")
	term.press("<enter><esc>")
	term.see("1 of 2", "turing")
	term.press("f")
	term.see("No matching change.", "show applied changes, too")
	term.press("<esc>")
	term.see("1 of 2")
}

// At the start, the inspector shows the number of open changes, and asks no question.
func TestAStartListsOpenChanges(t *testing.T) {
	f := &faults{}
	s := onDemo(t, withFaults(f))
	term := s.run(t)
	term.see("VERDICT", "● held")
	term.press("3")
	term.see("order_id", "5,000")
	term.press("+")
	term.see("up to")
	f.set(func(f *faults) { f.lose = map[string]bool{"TransactWriteItems": true} })
	term.press("<tab><enter>")
	term.until("an answer to get lost", func(string) bool { return f.lost.Load() > 0 })
	term.press("<esc>")
	term.see("? Not known")
	f.set(func(f *faults) { f.lose = nil })
	term.end()

	term = s.run(t)
	term.see("5 journal (1)", "1 change has an unknown outcome. Press 5.")
	term.press("5")
	term.see("1 change has an unknown outcome.", "▸ today", "? not known", "bump NextIdTable")
}

// If the journal is unreadable, its screen says why, and all other screens work.
func TestUnreadableJournal(t *testing.T) {
	s := onDemo(t)
	if err := os.MkdirAll(s.journal(), 0o700); err != nil {
		t.Fatal(err)
	}
	term := s.run(t)
	term.see("confirmed")
	term.press("5")
	term.see("reading the journal", filepath.Base(s.journal()), "directory", "try again")
	term.press("1")
	term.see("VERDICT", "● held")
}

// If the journal cannot be written, no change is possible, and the screen says why.
func TestRefusedJournal(t *testing.T) {
	s := onDemo(t)
	dir := t.TempDir()
	if err := os.Chmod(dir, 0o700); err != nil { // with any umask, the directory is safe, so only the file is refused
		t.Fatal(err)
	}
	path := filepath.Join(dir, "journal.jsonl")
	if err := os.WriteFile(path, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(path, 0o666); err != nil { // WriteFile would apply the umask
		t.Fatal(err)
	}
	_, err := journal.Open(path)
	if client.KindOf(err) != client.Usage {
		t.Fatalf("a journal that others can write is opened: %v", err)
	}
	s.options.Connections[0].NoJournal = err
	term := s.run(t)
	term.see("READ-ONLY", "confirmed", "Changes are off, because the journal cannot be written: 5 shows why.")
	term.press("nnnr")
	term.see("other users can write the journal")
	term.press("5")
	term.see("Other users can write the journal", "--journal")
}

// If a part of the journal's path is a file, there is no journal, and there are no stored answers. The table opens
// read-only, and the screen says why.
func TestABrokenJournalPath(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	s := onDemo(t, keeping(filepath.Join(file, "layouts")))
	_, err := journal.Open(filepath.Join(file, "journal.jsonl"))
	if err == nil {
		t.Fatal("a journal below a file is opened")
	}
	s.options.Connections = []session.Connection{{Connection: s.conn, NoJournal: err}}
	term := s.run(t)
	term.see("READ-ONLY", "confirmed")
	term.press("5")
	term.see("ot a directory", "--journal")
}

// TestJournalScreens draws the journal.
func TestJournalScreens(t *testing.T) {
	s := drawn(t)
	term := s.run(t)
	term.ask("alan")
	term.release("ticket 48151, cannot sign up")
	term.press("<esc>")
	term.ask("turing")
	term.release("ticket 48152")
	term.end()
	for name, c := range map[string]struct {
		w, h  int
		keys  string
		until string
	}{
		"journal":         {80, 24, "5j", "2 of 2"},
		"journal-140x40":  {140, 40, "5j", "2 of 2"},
		"journal-200x60":  {200, 60, "5", "1 of 2"},
		"journal-60x16":   {60, 16, "5", "1 of 2"},
		"journal-finding": {80, 24, "5Falan", "1 of 1"},
		"receipt":         {80, 24, "5j<enter>", "PLAN"},
	} {
		t.Run(name, func(t *testing.T) {
			s.w, s.h = c.w, c.h
			term := s.run(t)
			term.see("confirmed")
			term.press(c.keys)
			if name == "receipt" {
				term.pictures(c.until, "alan")
			} else {
				term.picture(c.until, "alan")
			}
		})
	}
}

// A release can be undone from its result, and this undo can be undone from the journal.
func TestUndo(t *testing.T) {
	s := onDemo(t)
	term := s.run(t)
	term.see("confirmed")
	term.press("u")
	term.see("No changes yet.")
	term.asksRelease()
	term.agree("Release the lock")
	term.see("u puts the lock back, if nobody has the value")
	term.press("u")
	term.see("Put a lock back", "UNIQ#HANDLE#alan / LOCK", "there is still no lock", "▸ No, leave it")
	term.agree("Put the lock back")
	if lock(t, s, "UNIQ#HANDLE#alan") == nil {
		t.Error("the lock is not back")
	}
	term.press("<enter><esc>5")
	frame := term.see("undo: put lock of", "↑ undone", "1 of 2")
	if !strings.Contains(row(frame, "↑ undone"), `release username "alan"`) {
		t.Errorf("the wrong change is undone:\n%s", frame)
	}
	term.press("j")
	term.see("It was undone.", "the change is already undone, by R-")
	term.press("u")
	term.see("The change is already undone")
	term.press("k")
	term.see("u undo")
	term.press("u")
	term.see("Release a lock", "▸ No, leave it", "price")
	term.agree("Release the lock")
	if lock(t, s, "UNIQ#HANDLE#alan") != nil {
		t.Error("the lock is still there")
	}
	term.press("<enter>")
	term.see("1 of 3")
}

// The undo of a bump lowers the counter, so a person must type its name. Reserved numbers cannot be taken back.
func TestUndoOfCounters(t *testing.T) {
	s := onDemo(t)
	term := s.run(t)
	term.onCounter("order_id")
	term.press("+")
	term.see("goes from 5,000 up to 5,001", "▸ No, leave it")
	term.agree("Bump to 5,001")
	term.press("u")
	term.see("order_id", "5,000", "the name to enable", "▸ No, leave it")
	term.press("<shift+tab>order_id<tab>")
	term.see("▸ No, leave it")
	term.press("<tab><enter>")
	term.see("✓ Applied", "order_id is at 5,000")
	term.press("<enter>")
	term.gone("Applied")
	term.press("+")
	term.see("goes from 5,000 up to 5,001", "▸ No, leave it")
	term.press("<shift+tab><shift+tab><shift+tab><right>")
	term.see("Reserves 5,")
	term.press("<shift+tab><shift+tab>")
	term.see("▸ No, leave it")
	term.agree("Reserve 1 number")
	if strings.Contains(term.screen(), "undo") {
		t.Error("a reservation can be undone")
	}
	term.press("<enter>")
	term.gone("Applied")
	term.press("u")
	term.see("Numbers that were handed out cannot be taken back.")
}

// lose loses the answer to a bump, and starts the program again.
func lose(t *testing.T, f *faults, s *setup) *terminal {
	t.Helper()
	term := s.run(t)
	term.loses(f)
	term.end()
	return s.run(t)
}

// loses bumps a counter, and loses the answer.
func (term *terminal) loses(f *faults) {
	term.t.Helper()
	term.onCounter("order_id")
	term.press("+")
	term.see("up to", "▸ No, leave it")
	f.set(func(f *faults) { f.lose = map[string]bool{"TransactWriteItems": true} })
	term.press("<tab><enter>")
	term.until("an answer to get lost", func(string) bool { return f.lost.Load() > 0 })
	term.press("<esc>")
	term.see("? Not known")
	f.set(func(f *faults) { f.lose = nil })
}

// A dialog resolves an open change by the present items. Its first choice leaves the change open.
func TestResolveAnOpenChange(t *testing.T) {
	f := &faults{}
	s := onDemo(t, withFaults(f))
	term := lose(t, f, s)
	term.see("5 journal (1)")
	term.press("5")
	term.see("? not known", "m resolve")
	term.press("m")
	term.see("Resolve an open change", "bump order_id", "▸ Leave it open", "Send it again", "can happen only once")
	term.press("<enter>")
	term.see("The change stays open.")
	term.press("m")
	term.see("▸ Leave it open", "Send it again")
	term.press("<tab>")
	term.see("▸ Send it again")
	term.press("<enter>")
	term.see("✓ Resolved", "it is applied")
	term.press("<enter>")
	term.gone("Resolved")
	frame := term.see("✓ applied", "5,000 → 5,001")
	if strings.Contains(frame, "journal (") {
		t.Errorf("it is still counted as open:\n%s", frame)
	}
	term.press("3")
	term.until("the counter", func(s string) bool { return strings.Contains(row(s, "order_id"), "5,001") })
}

// On a read-only connection, the buttons that would send a request are off, with the reason.
func TestResolveReadOnly(t *testing.T) {
	f := &faults{}
	s := onDemo(t, withFaults(f))
	term := lose(t, f, s)
	term.see("5 journal (1)")
	term.end()
	journal := s.options.Connections[0].Changer
	s.connect(t, func(o *dynamo.Options) { o.Write = false })
	s.options.Connections[0].Changer = journal
	term = s.run(t)
	term.see("READ-ONLY", "5 journal (1)")
	term.press("5")
	term.see("m resolve")
	term.press("m")
	term.see("▸ Leave it open", "Send it again", "read-only; start with --write")
	term.press("<tab><enter>")
	term.see("read-only; start with --write")
	term.press("<esc>")
	term.see("The change stays open.")
}

// With guard = "type", a person must type the value to finish the release, but not to remove its mark.
func TestResolveAnInterruptedRelease(t *testing.T) {
	f := &faults{}
	s := onDemo(t, withFaults(f), func(o *dynamo.Options) { o.Settle, o.Guard = time.Hour, client.GuardType })
	term := s.run(t)
	term.ask("alan")
	term.press("r")
	term.see("price", "to enable Release")
	term.press("<shift+tab>alan<tab><tab><enter>")
	term.see("Releasing a lock", "wait")
	f.set(func(f *faults) { f.deny = map[string]bool{"TransactWriteItems": true} })
	term.press("<esc>")
	term.see("✗ Stopped", "the mark could not be removed")
	f.set(func(f *faults) { f.deny = nil })
	term.press("<enter>")
	term.gone("Stopped")
	term.press("<esc>")
	term.see("5 journal (1)")
	term.press("5")
	term.see("m resolve")
	term.press("m")
	term.see("its mark is still on", "▸ Leave it open", "to enable the other buttons", "Remove the mark", "Finish the release", "Type the text above first.")
	term.press("<shift+tab>")
	term.see("▸ Finish the release")
	term.press("<enter>")
	term.see("Type the text above first.", "▸ Finish the release")
	term.press("<shift+tab>")
	term.see("▸ Remove the mark")
	term.press("<enter>")
	term.see("✓ Resolved", "it is refused")
	if item := lock(t, s, "UNIQ#HANDLE#alan"); item == nil || item[schema.MarkAttribute] != nil {
		t.Errorf("the lock after resolving: %v", item)
	}
}

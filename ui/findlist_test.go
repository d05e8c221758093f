package ui_test

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"

	"tallylock/dynamo"
)

// ticket is a list as people paste it: with empty lines, a duplicate, other spellings and a hostile value.
const ticket = "\r\nalan\r\ngrace\nturing\nada@lovelace.io\n\nmel@oldmail.test\nACCT#d41c07\n\x1b[2Jalan\u202e\nalan\nhopper\nEvelyn\n"

func (term *terminal) paste(text string) { term.p.Send(tea.PasteMsg{Content: text}) }

// A pasted list shows its price before anything is read. Then it has a row for each value, and marked locks are
// released with one reason. Afterwards only their rows are read again.
func TestAPastedListIsReadAndReleased(t *testing.T) {
	s := onDemo(t)
	term := s.run(t)
	term.see("confirmed")
	term.press("/")
	term.see("then press enter")
	term.paste(ticket)
	frame := term.see("find › 9 values", "Finding 9 values takes about ", "enter read them", "0 of 9 read")
	if strings.Contains(frame, "\u202e") {
		t.Error("a hostile value reaches the terminal")
	}
	term.press("<enter>")
	term.see("9 of 9 read")
	term.quiet()
	frame = term.see("9 of 9 read", "✗ orphaned?", "○ missing", "● held", `\x1b[2Jalan\u202e`)
	for value, want := range map[string]string{
		" alan ": "✗ orphaned?", " turing ": "✗ orphaned?", " hopper ": "○ missing", " Evelyn ": "● held", " grace ": "□ free",
		" ACCT#d41c07 ": "account id  ● held", " mel@oldmail.test": "email       ✗ orphaned?",
	} {
		if !strings.Contains(row(frame, value), want) {
			t.Errorf("%s is not %s:\n%s", value, want, frame)
		}
	}
	term.press("j<space>")
	term.see(`There is no lock to release.`)
	term.press("g<space>")
	term.see("1 marked", "release 1")
	term.to("turing")
	term.press("<space>")
	term.to("mel@oldmail.test")
	term.press("<space>")
	term.see("3 marked", "r release 3")
	term.press("r")
	term.see("Release 3 locks", "price", "▸ No, leave it")
	term.press("<tab>")
	term.see("▸ Release 3 locks")
	term.press("<enter>")
	term.see("✓ Applied", "3 of 3 locks released")
	for _, pk := range []string{"UNIQ#HANDLE#alan", "UNIQ#HANDLE#turing", "UNIQ#EMAIL#mel@oldmail.test"} {
		if lock(t, s, pk) != nil {
			t.Errorf("%s is still there", pk)
		}
	}
	term.press("<enter>")
	frame = term.until("three rows read again", func(f string) bool { return strings.Count(f, "□ free") == 5 })
	if strings.Contains(frame, "marked") {
		t.Errorf("released rows stay marked:\n%s", frame)
	}
	term.press("<esc>")
	term.see("ACCOUNT", "VALUE", "1 accounts")
}

// Enter opens the answer of a row, and esc goes back to the list. The row shows what has changed there.
func TestARowOfAListOpensItsAnswer(t *testing.T) {
	term := onDemo(t).run(t)
	term.see("confirmed")
	term.press("/alan, turing; hopper<enter>")
	term.see("find › 3 values", "3 of 3 read")
	term.to("turing")
	term.press("<enter>")
	term.see("/ turing", "LOOKS LIKE IT", "answered in")
	term.press("r")
	term.see("No, leave it", "price")
	term.press("<tab><enter>")
	term.see("✓ Applied")
	term.press("<enter>")
	term.see(`The username "turing" is free.`)
	term.press("<esc>")
	if frame := term.see("find › 3 values"); !strings.Contains(row(frame, "▸ turing"), "□ free") {
		t.Errorf("the row shows an earlier answer:\n%s", frame)
	}
	term.press("/grace<enter>")
	term.see("/ grace", "answered in")
	term.press("<esc>")
	term.see("find › 3 values")
	term.press("<esc>")
	term.see("ACCOUNT", "VALUE", "1 accounts")
}

// TestWhatIsAList tests which texts are a list of values, and which are one value.
func TestWhatIsAList(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"alan grace":                      "/ alan grace",
		"alan grace ada":                  "find › 3 values",
		"alan,grace":                      "find › 2 values",
		"alan;alan":                       "/ alan;alan",
		"a@x.test b@x.test":               "find › 2 values",
		"Lovelace, Ada King":              "find › 3 values",
		"alan, ":                          "/ alan,",
		"alan,\ngrace hopper;\r\n\n,\nx ": "find › 3 values",
	} {
		t.Run(text, func(t *testing.T) {
			term := onDemo(t).run(t)
			term.see("confirmed")
			term.press("/")
			term.see("then press enter")
			term.paste(text)
			term.press("<enter>")
			term.see(want)
		})
	}
}

// If the price of a list is above the limit, the screen asks first, even for a typed list. The whole table is read only
// after another key.
func TestAListAboveTheLimitAsksFirst(t *testing.T) {
	term := onDemo(t, func(o *dynamo.Options) { o.AutoReadUnits, o.Asked = 0.5, true }).run(t)
	term.see("ACCOUNT", "VERDICT")
	term.press("/alan,grace,ada<enter>")
	term.see("Finding 3 values takes about ", "more than auto_read_units, 0.5.", "The whole table is not", "0 of 3 read")
	term.press("<enter>")
	term.see("3 of 3 read", "3 values are unknown. p reads the whole table once, about", "p read all")
	term.press("p")
	term.see("✗ orphaned?", "● held", "□ free")
	term.gone("are unknown")
}

// A thousand values are a list, too.
func TestAListOfAThousandValues(t *testing.T) {
	term := onDemo(t).run(t)
	term.see("confirmed")
	var all []string
	for n := range 1000 {
		all = append(all, fmt.Sprint("user", n))
	}
	term.press("/")
	term.see("then press enter")
	term.paste(strings.Join(append(all, "alan"), "\n"))
	term.see("Finding 1,001 values takes about ", "more than auto_read_units, 500.")
	term.press("<enter>")
	term.see("1,001 of 1,001 read")
	term.press("n")
	term.see("▸ alan", "✗ orphaned")
}

// A stopped list keeps its answers so far, and reads the rest after a key.
func TestAListThatIsStoppedKeepsWhatWasRead(t *testing.T) {
	hold := make(chan struct{})
	s := onDemo(t, func(o *dynamo.Options) {
		next := o.Transport
		o.Transport = roundTrip(func(r *http.Request) (*http.Response, error) {
			body, err := io.ReadAll(r.Body)
			if err != nil {
				return nil, err
			}
			r.Body = io.NopCloser(bytes.NewReader(body))
			if bytes.Contains(body, []byte("waits-here")) {
				select {
				case <-hold:
				case <-r.Context().Done():
					return nil, r.Context().Err()
				}
			}
			return next.RoundTrip(r)
		})
	})
	term := s.run(t)
	term.see("confirmed")
	term.press("/alan,grace,waits-here<enter>")
	term.see("2 of 3 read", "esc stop")
	term.meanwhile("<esc>")
	term.see("Stopped. The values read so far stay.", "? unknown", "1 value is not read yet: p reads the rest, about 11 read units.")
	close(hold)
	term.press("p")
	term.see("3 of 3 read", "2 values are unknown. p reads the whole table once")
	term.press("p")
	term.see("✗ orphaned?", "□ free")
	term.gone("are unknown")
}

// The list is saved with its verdicts.
func TestAListIsSaved(t *testing.T) {
	term := onDemo(t).run(t)
	term.see("confirmed")
	term.press("/alan,ada<enter>")
	term.see("2 of 2 read")
	file := filepath.Join(t.TempDir(), "found.csv")
	term.press("w")
	term.see("Save the list", "accounts-found.csv")
	term.press(file + "<enter>")
	term.see("Saved 2 values")
	data, err := os.ReadFile(file)
	if err != nil || !strings.Contains(string(data), "alan") || !strings.Contains(string(data), "orphaned") {
		t.Errorf("%v\n%s", err, data)
	}
}

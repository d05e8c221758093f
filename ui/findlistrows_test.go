package ui_test

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"tallylock/dynamo"
	"tallylock/dynamo/embedded/sdk"
)

// After a change, no row of a list shows an earlier verdict. This includes other rows with the same lock, and the row
// of the new value.
func TestAChangeRenewsEveryRowThatItConcerns(t *testing.T) {
	term := onDemo(t).run(t)
	term.see("confirmed")
	term.press("/alan,ALAN,ada,countess<enter>")
	term.see("4 of 4 read")
	term.to("alan")
	term.press("r")
	term.see("Frees the username", "price")
	term.press("<tab><enter>")
	term.see("✓ Applied")
	term.press("<enter>")
	term.see("4 of 4 read")
	term.gone("orphaned") // the row ALAN has the same lock
	term.press("jje")
	term.see("username")
	term.press("countess<tab>")
	term.see("price")
	term.press("<tab><tab><enter>")
	term.see("✓ Applied")
	term.press("<enter>")
	term.until("the new value to be held", func(f string) bool {
		return strings.Contains(row(f, " ada "), "□ free") && strings.Contains(row(f, " countess "), "● held")
	})
}

// Even if some rows are marked, a change of another row updates that row.
func TestAChangeRenewsItsRowBesideMarkedOnes(t *testing.T) {
	term := onDemo(t).run(t)
	term.see("confirmed")
	term.press("/alan,ada<enter>")
	term.see("2 of 2 read")
	term.press("g<space>")
	term.see("1 marked")
	term.to("ada")
	term.press("e")
	term.see("username")
	term.press("countess<tab>")
	term.see("price")
	term.press("<tab><tab><enter>")
	term.see("✓ Applied")
	term.press("<enter>")
	term.until("the old value to be free", func(f string) bool { return strings.Contains(row(f, " ada "), "□ free") })
}

// After a change, the rows that it is about are read again. Rows beyond the limit of read units lose their verdict.
func TestARowThatIsNotReadAgainLosesItsVerdict(t *testing.T) {
	s := onDemo(t, func(o *dynamo.Options) { o.AutoReadUnits, o.Asked = 0.5, true })
	var all []string
	for n := range 8 {
		name := fmt.Sprint("gone", n)
		s.put(t, "accounts", sdk.Item{"PK": sdk.S("UNIQ#HANDLE#" + name), "SK": sdk.S("LOCK")})
		all = append(all, name)
	}
	term := s.run(t)
	term.see("ACCOUNT", "VERDICT")
	term.press("/" + strings.Join(all, ",") + "<enter>")
	term.see("0 of 8 read")
	term.press("<enter>")
	term.see("8 values are unknown")
	term.press("p")
	term.until("all verdicts", func(f string) bool { return strings.Count(f, "✗ orphaned?") >= 8 })
	term.press("g<space>GV")
	term.see("8 marked")
	term.press("r")
	term.see("Release 8 locks", "price")
	term.press("<tab><enter>")
	term.see("8 of 8 locks released")
	term.press("<enter>")
	term.see("not read yet", "Stopped at auto_read_units")
	term.gone("orphaned")
}

// Before a key reads more of a list, the screen shows the whole price.
func TestTheRestOfAListNamesItsPrice(t *testing.T) {
	term := onDemo(t, func(o *dynamo.Options) { o.AutoReadUnits, o.Asked = 0.5, true }).run(t)
	term.see("ACCOUNT", "VERDICT")
	var all []string
	for n := range 40 {
		all = append(all, fmt.Sprint("user", n))
	}
	term.press("/" + strings.Join(all, ",") + "<enter>")
	term.see("0 of 40 read")
	term.press("<enter>")
	frame := term.see("40 of 40 read", "40 values are unknown")
	number := func(pattern, frame string) float64 {
		m := regexp.MustCompile(pattern).FindStringSubmatch(strings.Join(strings.Fields(frame), " "))
		if m == nil {
			t.Fatalf("no %s in:\n%s", pattern, frame)
		}
		n, err := strconv.ParseFloat(strings.ReplaceAll(m[1], ",", ""), 64)
		if err != nil {
			t.Fatal(err)
		}
		return n
	}
	const used = `40 of 40 read · ([0-9.,]+) read units`
	price, before := number(`reads the whole table once, about ([0-9.,]+) read units`, frame), number(used, frame)
	term.press("p")
	frame = term.see("40 of 40 read", "□ free")
	if more := number(used, frame) - before; more > price {
		t.Errorf("it said %v read units, and read %v", price, more)
	}
}

// Without permission to read the whole table, the list does not call its answers complete.
func TestAListIsNotCompleteWithoutAScan(t *testing.T) {
	f := &faults{}
	term := onDemo(t, withFaults(f)).run(t)
	term.see("confirmed")
	f.set(func(f *faults) { f.deny = map[string]bool{"Scan": true} })
	term.press("/alan,grace<enter>")
	term.see("2 of 2 read", "2 values are unknown", "Reading the whole table needs dynamodb:Scan")
	term.press("p")
	term.see("The permission dynamodb:Scan is denied.")
}

// While values are being read, ctrl+r does not start the list again.
func TestAListIsNotReadAgainWhileItIsRead(t *testing.T) {
	hold := make(chan struct{})
	f := &faults{}
	term := onDemo(t, withFaults(f), func(o *dynamo.Options) { o.AutoReadUnits, o.Asked = 0.5, true }).run(t)
	term.see("ACCOUNT", "VERDICT")
	term.press("/alan,grace<enter>")
	term.see("0 of 2 read")
	f.set(func(f *faults) {
		f.hold = map[string]chan struct{}{"BatchGetItem": hold, "GetItem": hold, "TransactGetItems": hold}
	})
	term.press("<enter>")
	term.see("esc stop")
	term.meanwhile("<ctrl+r>")
	term.see("The values are being read.")
	close(hold)
	term.see("2 of 2 read")
}

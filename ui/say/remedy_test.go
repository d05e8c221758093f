package say_test

import (
	"errors"
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"tallylock/dynamo/change/journal"
	"tallylock/dynamo/change/plan"
	"tallylock/dynamo/client"
	"tallylock/dynamo/remedy"
	"tallylock/ui/say"
)

// Each remedy has a sentence, which uses each of its arguments.
func TestEachRemedyHasASentence(t *testing.T) {
	source, err := os.ReadFile("../../dynamo/remedy/remedy.go")
	if err != nil {
		t.Fatal(err)
	}
	codes := regexp.MustCompile(`Code = "(.+?)"`).FindAllSubmatch(source, -1)
	if len(codes) == 0 {
		t.Fatal("no codes")
	}
	for _, code := range codes {
		if said := say.Do(remedy.Of(remedy.Code(code[1]), "one", "two", "three")); said == "" || strings.Contains(said, "$") {
			t.Errorf("%s: %q", code[1], said)
		}
		say.Do(remedy.Of(remedy.Code(code[1]))) // as if somebody had removed its arguments from the journal
	}
}

// The journal keeps remedies as codes. The description of a change has their sentences. It leaves out a code of another
// version of the program.
func TestAChangeOfTheJournalSaysItsRemedies(t *testing.T) {
	r := &journal.Record{
		Outcome: journal.Refused, Error: "the write failed", Remedy: remedy.Of(remedy.GiveReason),
		Reasons: []journal.Reason{
			{Code: plan.Absent, Text: "there is no counter", Remedy: remedy.Of(remedy.CreateWith, "7")},
			{Code: plan.Held, Text: "it is held", Remedy: remedy.Of("from another version")},
		},
	}
	want := []string{
		"There is no counter: create it with at least 7 (--to).", "It is held.",
		"The write failed; give one, with --reason on the command line; nothing was sent.",
	}
	if got := say.WhyNot(r); !slices.Equal(got, want) || say.Became(r, nil) != want[0] {
		t.Errorf("%q, %q; want %q", got, say.Became(r, nil), want)
	}
}

// An error says what to do, even when another error wraps it. A command gets the table and the
// connection.
func TestAnErrorSaysItsRemedy(t *testing.T) {
	err := fmt.Errorf("guard: %w", &client.Error{
		Op: "reading t", Why: "the role may not", Err: errors.New("denied"),
		Remedy: remedy.Remedy{Code: remedy.PrintPolicy, Args: []string{"viewer"}, Table: "a b", Place: []string{"--region", "eu"}},
	})
	if got, want := say.Error(err), "guard: reading t: the role may not; this prints the permissions: tallylock policy viewer --table 'a b' --region eu"; got != want {
		t.Errorf("%s\nwant %s", got, want)
	}
	if got := err.Error(); got != "guard: reading t: the role may not" {
		t.Error(got)
	}
}

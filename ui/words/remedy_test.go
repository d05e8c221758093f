package words_test

import (
	"errors"
	"fmt"
	"os"
	"regexp"
	"strings"
	"testing"

	"tallylock/dynamo/client"
	"tallylock/dynamo/remedy"
	"tallylock/ui/words"
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
		if say := words.Do(remedy.Of(remedy.Code(code[1]), "one", "two", "three")); say == "" || strings.Contains(say, "$") {
			t.Errorf("%s: %q", code[1], say)
		}
	}
}

// An error says what to do, even when another error wraps it. A command gets the table and the
// connection.
func TestAnErrorSaysItsRemedy(t *testing.T) {
	err := fmt.Errorf("guard: %w", &client.Error{
		Op: "reading t", Why: "the role may not", Err: errors.New("denied"),
		Remedy: remedy.Remedy{Code: remedy.PrintPolicy, Args: []string{"viewer"}, Table: "a b", Place: []string{"--region", "eu"}},
	})
	if got, want := words.Error(err), "guard: reading t: the role may not; what is needed is printed by: tallylock policy viewer --table 'a b' --region eu"; got != want {
		t.Errorf("%s\nwant %s", got, want)
	}
	if got := err.Error(); got != "guard: reading t: the role may not" {
		t.Error(got)
	}
}

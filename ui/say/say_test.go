package say_test

import (
	"errors"
	"testing"

	"tallylock/ui/say"
)

func TestExplainKeepsWordsOfOthers(t *testing.T) {
	if e := say.Explain(errors.New("boom")); e.Kind != "failed" || e.Why != "boom" || e.Do != "" {
		t.Errorf("%+v", e)
	}
}

func TestArticles(t *testing.T) {
	for word, want := range map[string]string{"username": "a", "UUID": "a", "e-mail": "an", "uncle": "an", "handle": "a", "account id": "an", "": "a"} {
		if got := say.Article(word); got != want {
			t.Errorf("%s %s, want %s", got, word, want)
		}
	}
}

func TestSentences(t *testing.T) {
	for in, want := range map[string]string{"it is there": "It is there.", "is the VPN up?": "Is the VPN up?", "done.": "Done.", "": ""} {
		if got := say.Sentence(in); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

package ui_test

import (
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"tallylock/dynamo"
	"tallylock/dynamo/embedded/sdk"
	"tallylock/dynamo/layout/config"
)

// If a verdict is uncertain, the reason comes first, and stays visible when the detail has the focus.
func TestTheReasonStandsFirst(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		on  func(*setup)
		to  string
		why []string
	}{
		"guessed": {func(s *setup) {
			s.connect(t, func(o *dynamo.Options) { o.Layout = "uniq" }) // the data has no lock of a username
			s.withTable(t, 2, 0)
			_, err := s.demo.App().DeleteItem(t.Context(), &dynamodb.DeleteItemInput{TableName: aws.String("people"), Key: map[string]types.AttributeValue{
				"PK": sdk.S("UNIQ#HANDLE#person00"), "SK": sdk.S("LOCK"),
			}})
			if err == nil {
				_, err = s.demo.App().DeleteItem(t.Context(), &dynamodb.DeleteItemInput{TableName: aws.String("people"), Key: map[string]types.AttributeValue{
					"PK": sdk.S("UNIQ#HANDLE#person01"), "SK": sdk.S("LOCK"),
				}})
			}
			if err != nil {
				t.Fatal(err)
			}
		}, "○ missing?", []string{"The layout is only guessed."}},
		"a misfit": {func(s *setup) {
			s.connect(t, func(o *dynamo.Options) {
				o.Layouts = []config.Layout{{Name: "mine", Tables: []string{"accounts"}, Accounts: []config.Account{{
					PK: "ACCT#{id}", SK: "PROFIL", Constraints: []config.Constraint{{Attribute: "username", PK: "UNIQ#HANDLE#{v}", SK: "LOCK"}},
				}}}}
			})
		}, "? unknown", []string{"The layout does not fit:", `sk = "PROFILE" fits`}},
	} {
		t.Run(name, func(t *testing.T) {
			s := drawn(t)
			tc.on(s)
			term := s.run(t)
			if name == "a misfit" {
				term.pastLayout()
			}
			term.see("VERDICT", tc.to)
			if name == "guessed" {
				term.to(tc.to)
			}
			for _, keys := range []string{"", "<tab>"} {
				term.press(keys)
				frame := term.see(tc.why...)
				_, detail, _ := strings.Cut(frame, "──")
				for _, word := range tc.why {
					at, lock := strings.Index(frame, word), strings.LastIndex(frame, "LOCK")
					if keys == "" {
						lock = strings.Index(frame, "\n   lock ")
					}
					if lock >= 0 && at > lock {
						t.Errorf("%q comes after the lock:\n%s", word, detail)
					}
				}
			}
		})
	}
}

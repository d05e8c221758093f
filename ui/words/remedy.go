package words

import (
	"errors"
	"regexp"
	"strings"

	"tallylock/dynamo"
	"tallylock/dynamo/client"
	"tallylock/dynamo/phrase"
	"tallylock/dynamo/remedy"
)

// remedies has the sentence of each remedy. $1 and $2 are its arguments. A command is in braces:
// it gets the flags of the remedy's table and connection.
var remedies = map[remedy.Code]string{
	remedy.Text:             "$1",
	remedy.AddWrite:         "add --write, or set write = true for the connection in the config",
	remedy.NameRegion:       "set AWS_REGION or --region",
	remedy.CorrectRegion:    "correct AWS_REGION or --region",
	remedy.NameProfile:      "set AWS_PROFILE or --profile, or run: aws configure sso",
	remedy.ListProfiles:     "run: aws configure list-profiles",
	remedy.LogIn:            "run: aws login",
	remedy.LogInSSO:         "run: aws sso login",
	remedy.LogInSSOAgain:    "log in again: aws sso login",
	remedy.ServeDemo:        "run: {demo --serve 127.0.0.1:8000}, and look at those",
	remedy.NameTable:        "name it with --table",
	remedy.NameKeys:         "name them with --keys, partition key first, such as --keys PK,SK",
	remedy.TryTable:         "name one with --table",
	remedy.OtherRegion:      "is the Region right? Name another with --region or --profile",
	remedy.TryWriting:       "add --write to try what can be tried without a write",
	remedy.PrintPolicy:      "what is needed is printed by: {policy $1}",
	remedy.PrintWritePolicy: "what a change needs is printed by: {policy operator}",
}

// inserts finds what the sentence of a remedy leaves open: arguments, and commands.
var inserts = regexp.MustCompile(`\{[^}]+\}|\$\d`)

// Do says what a person can do; empty if the remedy is empty.
func Do(r remedy.Remedy) string {
	arg := func(at string) string { return r.Args[at[1]-'1'] }
	text := inserts.ReplaceAllStringFunc(remedies[r.Code], func(at string) string {
		if at[0] == '$' {
			return arg(at)
		}
		words := strings.Fields(strings.Trim(at, "{}"))
		for n, word := range words {
			if word[0] == '$' {
				words[n] = arg(word)
			}
		}
		if r.Table != "" {
			words = append(words, "--table", r.Table)
		}
		return dynamo.CommandLine(append(words, r.Place...))
	})
	switch r.Code {
	case remedy.LogIn, remedy.LogInSSO, remedy.LogInSSOAgain:
		if profile := r.Args[0]; profile != "" {
			text += " --profile " + phrase.ShellWord(profile)
		}
	}
	return text
}

// Error says an error in full: what was tried, why it failed, and what to do.
func Error(err error) string {
	known, ok := errors.AsType[*client.Error](err)
	if !ok || known.Remedy.Code == "" {
		return err.Error()
	}
	full := *known
	full.Do = Do(known.Remedy)
	return strings.Replace(err.Error(), known.Error(), full.Error(), 1)
}

package cli

import (
	"cmp"
	"errors"
	"io/fs"
	"os"

	"tallylock/dynamo/client"
	"tallylock/dynamo/phrase"
	"tallylock/ui/kit"
)

// advise says, after an error that keeps everything from being reached, what can be done
// instead: whoever starts the program for the first time has no config and no credentials.
func (s *invocation) advise(err error) {
	known, ok := errors.AsType[*client.Error](err)
	if !ok {
		return
	}
	switch known.Kind {
	case client.NoRegion, client.NoCredentials, client.Expired, client.Unreachable:
	default:
		return
	}
	if c, err := s.flags.readConfig(); err == nil {
		if unchosen := c.unchosen(&s.flags); unchosen != "" {
			s.note("%s", unchosen)
		}
	}
	doctor := s.flags.command("doctor")
	if unequipped(err) {
		s.firstSteps(known.Kind, doctor)
		return
	}
	s.note("What works here, and what does not: %s", doctor)
}

// unequipped reports whether there is nothing to connect with: no credentials, or no Region.
func unequipped(err error) bool {
	known, ok := errors.AsType[*client.Error](err)
	return ok && (known.Kind == client.NoRegion || known.Kind == client.NoCredentials && known.Op == "connecting")
}

// firstSteps says what there is to connect with, and lists what can be done now.
func (s *invocation) firstSteps(lacks client.Kind, doctor string) {
	config := s.flags.configPath()
	if _, err := os.Stat(config); errors.Is(err, fs.ErrNotExist) {
		config = "none at " + config + ", and none is needed"
	}
	region := cmp.Or(s.flags.region, os.Getenv("AWS_REGION"), os.Getenv("AWS_DEFAULT_REGION"),
		"none by flag or AWS_REGION")
	p := s.flags.printer(s.Err)
	p.line(kit.Muted, "what was found")
	facts := []fact{{"config", config}, {"profiles", cmp.Or(phrase.List(client.Profiles()), "none")}, {"Region", region}}
	if lacks == client.NoCredentials {
		facts = append(facts, fact{"credentials", "none usable"})
	}
	p.facts(2, facts...)
	p.line(kit.Muted, "what you can do")
	p.table(2, []column{{}, {}}, [][]cell{
		{{kit.Strong, "tallylock demo"}, {kit.Text, "sample tables, without AWS"}},
		{{kit.Strong, doctor}, {kit.Text, "what works here"}},
		{{kit.Strong, "tallylock --profile NAME --region REGION"}, {kit.Text, "your tables on AWS"}},
		{{kit.Strong, "tallylock --endpoint-url http://127.0.0.1:8000"}, {kit.Text, "those of another DynamoDB"}},
	})
}

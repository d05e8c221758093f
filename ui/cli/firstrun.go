package cli

import (
	"errors"
	"io/fs"
	"os"

	"tallylock/dynamo/client"
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
	doctor, _ := s.flags.commandLine([]string{"doctor"})
	if known.Kind == client.NoRegion || known.Kind == client.NoCredentials && known.Op == "connecting" { // none were found
		s.firstSteps(doctor)
		return
	}
	s.note("What works here, and what does not: %s", doctor)
}

// firstSteps lists what can be done now.
func (s *invocation) firstSteps(doctor string) {
	if _, err := os.Stat(s.flags.configPath()); errors.Is(err, fs.ErrNotExist) {
		s.note("There is no config either, which is all right: nothing needs one.")
	}
	s.flags.printer(s.Err).table(2, []column{{}, {}}, [][]cell{
		{{kit.Strong, "tallylock demo"}, {kit.Text, "sample tables, without AWS"}},
		{{kit.Strong, doctor}, {kit.Text, "what works here"}},
		{{kit.Strong, "tallylock --profile NAME --region REGION"}, {kit.Text, "your tables on AWS"}},
		{{kit.Strong, "tallylock --endpoint-url http://127.0.0.1:8000"}, {kit.Text, "those of another DynamoDB"}},
	})
}

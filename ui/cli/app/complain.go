package app

import (
	"cmp"
	"context"
	"errors"
	"io/fs"
	"os"

	"tallylock/dynamo/client"
	"tallylock/dynamo/phrase"
	"tallylock/ui/cli/exit"
	"tallylock/ui/cli/print"
	"tallylock/ui/kit"
	"tallylock/ui/say"
)

// Complain prints the error of a command on standard error.
func (s *Run) Complain(err error) {
	if err == nil {
		return
	}
	all := []error{err}
	if joined, ok := err.(interface{ Unwrap() []error }); ok { // print each joined error on its own
		all = joined.Unwrap()
	}
	for _, e := range all {
		if _, said := e.(exit.Status); !said { //nolint:errorlint // what wraps one has something to say
			s.Note("tallylock: %s", say.Error(e))
		}
	}
	s.advise(err)
}

// advise prints the next steps if no connection is possible. A person who starts the program for the
// first time has neither config nor credentials.
func (s *Run) advise(err error) {
	known, ok := errors.AsType[*client.Error](err)
	if !ok || known.Service != "" {
		return
	}
	switch known.Kind {
	case client.NoRegion, client.NoCredentials, client.Expired, client.Unreachable:
	default:
		return
	}
	if c, err := s.Flags.Config.Read(); err == nil {
		if unchosen := s.Flags.Unchosen(c); unchosen != "" {
			s.Note("%s", unchosen)
		}
	}
	doctor := s.Flags.Command("doctor")
	if Unequipped(err) {
		s.firstSteps(known.Kind, doctor)
		return
	}
	s.Note("To see what works here and what fails, run: %s", doctor)
}

// Unequipped reports whether the credentials or the Region are missing.
func Unequipped(err error) bool {
	known, ok := errors.AsType[*client.Error](err)
	return ok && (known.Kind == client.NoRegion || known.Kind == client.NoCredentials && known.Op == "connecting")
}

// firstSteps prints the settings that were found, and the commands that a person can run next.
func (s *Run) firstSteps(lacks client.Kind, doctor string) {
	config := s.Flags.Config.Path()
	if _, err := os.Stat(config); errors.Is(err, fs.ErrNotExist) {
		config = "none at " + config + "; tallylock also works without a config"
	}
	region := cmp.Or(s.Flags.region, os.Getenv("AWS_REGION"), os.Getenv("AWS_DEFAULT_REGION"), s.regionMeant(),
		"none: --region and AWS_REGION are not set")
	p := s.Flags.printer(s.Err)
	p.Line(kit.Muted, "your settings")
	var found print.Facts
	found.Add("config", config)
	found.Add("profiles", cmp.Or(phrase.List(client.AWSFiles{}.Profiles()), "none"))
	found.Add("Region", region)
	if lacks == client.NoCredentials {
		found.Add("credentials", "none that work")
	}
	p.Facts(2, found)
	p.Line(kit.Muted, "run one of these commands")
	p.Table(2, []print.Column{{}, {}}, [][]kit.Span{
		{kit.Strong.Of("tallylock demo"), kit.Text.Of("shows sample tables, without AWS")},
		{kit.Strong.Of(doctor), kit.Text.Of("shows what works here")},
		{kit.Strong.Of("tallylock --profile NAME --region REGION"), kit.Text.Of("shows your tables on AWS")},
		{kit.Strong.Of("tallylock --endpoint-url http://127.0.0.1:8000"), kit.Text.Of("shows tables of another DynamoDB")},
	})
}

// regionMeant returns the Region of the connection in the config, or of the profile; empty if there is none. It sends
// nothing.
func (s *Run) regionMeant() string {
	c, err := s.Flags.Config.Read()
	if err != nil {
		return ""
	}
	conn, err := s.Flags.ConnectionOf(c)
	if err != nil {
		return ""
	}
	return conn.RegionMeant(context.Background())
}

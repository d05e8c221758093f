package cli

import (
	"context"
	"fmt"
	"os"
	"runtime"
	"strings"

	"github.com/charmbracelet/x/term"
	"github.com/spf13/cobra"

	"tallylock/dynamo/attr"
	"tallylock/dynamo/change/journal"
	"tallylock/dynamo/client"
	"tallylock/dynamo/doctor"
	"tallylock/dynamo/phrase"
	"tallylock/dynamo/remedy"
	"tallylock/ui/cli/app"
	"tallylock/ui/cli/configfile"
	"tallylock/ui/cli/exit"
	"tallylock/ui/cli/print"
	"tallylock/ui/kit"
	"tallylock/ui/say"
	"tallylock/ui/session"
)

// doctorCommand reports what works on this machine.
func doctorCommand(s *app.Run) *cobra.Command {
	return &cobra.Command{
		Use:   "doctor",
		Short: "Show what works here and what does not",
		Long: `Show what works here, what fails, and what to do. doctor tests the config, the
terminal, the journal, the credentials, the Region, the clock, and the features
of the endpoint. It also tries each permission on the table of --table, or on
the first table. Run doctor first if you use your own AWS account, and put its
output into bug reports. The output masks account ids, access keys, session
names and the home directory, and contains nothing from your tables.

doctor writes nothing and uses a few read units. With --write it sends one
transaction that only checks that a key does not exist. It skips the tests that
need a real write, and lists them.

Exit status: 0 everything works, 3 something fails.`,
		Example: `  tallylock doctor --profile support --region eu-west-1 --table accounts
  tallylock doctor --endpoint-url http://127.0.0.1:8000
  tallylock doctor --output json > doctor.json`,
		Args: app.TakesNothing,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return (&examination{Run: s}).run(cmd.Context())
		},
	}
}

// examination is one run of `doctor`.
type examination struct {
	*app.Run
	said   []examined // the output of json, printed at the end
	failed int
}

// examined is the JSON of one line of the output.
type examined struct {
	Tried   string  `json:"tried"`
	State   string  `json:"state"`
	Outcome string  `json:"outcome"`
	Do      *string `json:"do"`
}

func (e *examination) run(ctx context.Context) error {
	e.add("tallylock", doctor.Works, fmt.Sprintf("%s, %s on %s/%s", e.Version, runtime.Version(), runtime.GOOS, runtime.GOARCH), "")
	c, err := e.config()
	var t app.Target
	if err == nil {
		t, err = e.TargetFrom(ctx, c)
	}
	if err == nil {
		e.journal(t)
		e.terminal()
		err = e.connection(ctx, t)
	}
	if e.Flags.Output == app.JSON && err == nil {
		app.PrintAll(e.Run, e.said)
	}
	switch {
	case err != nil:
		return err
	case e.failed > 0:
		return exit.Failed
	}
	return nil
}

// config tests the config file. If the file is unreadable, the doctor goes on with flags and
// environment. An error ends the command.
func (e *examination) config() (configfile.File, error) {
	const tried = "config"
	path := e.Flags.Config.Path()
	c, err := e.Flags.Config.Read()
	if err != nil {
		l := doctor.Failed(tried, err)
		l.Outcome = path + ": " + l.Outcome + ". The tests below use only flags and the environment."
		e.say(l)
		if e.Flags.Connection != "" {
			return c, exit.Failed // only the unreadable config describes that connection
		}
		return configfile.File{}, nil
	}
	if _, err := os.Stat(path); err != nil {
		e.add(tried, doctor.Works, "there is no config at "+path+"; tallylock also works without a config", "")
		return c, nil
	}
	e.add(tried, doctor.Works, fmt.Sprintf("%s, with %s and %s", path, phrase.Count(len(c.Connections), "connection"),
		phrase.Count(len(c.Layouts), "layout")), e.Flags.Unchosen(c))
	return c, nil
}

// journal tests whether the journal is writable and readable, and whether changes are open.
func (e *examination) journal(t app.Target) {
	const tried = "journal"
	path := t.JournalPath
	j, unwritable := journal.Open(path)
	if unwritable == nil {
		unwritable = j.CheckWritable()
	}
	if unwritable != nil {
		l := doctor.Failed(tried, unwritable)
		if !t.Options.Write {
			l.State, l.Outcome = doctor.Doubtful, "without a journal no changes are possible: "+l.Outcome
		}
		e.say(l)
	}
	records, unread, err := journal.OpenReadOnly(path).Read()
	switch open := len(journal.Unresolved(records)); {
	case unwritable != nil && (err != nil || unread+open == 0): // the line above already has this error
	case err != nil:
		e.say(doctor.Failed(tried, err))
	case unread > 0:
		e.add(tried, doctor.Doubtful, path+": "+phrase.Count(unread, "line")+" cannot be read",
			"run: "+e.Flags.Command("journal", "--verify"))
	case open > 0:
		e.add(tried, doctor.Doubtful, path+": "+say.Plural(open, "change has", "changes have")+" an unknown outcome",
			"run: "+e.Flags.Command("journal", "--resolve"))
	case len(records) == 0:
		e.add(tried, doctor.Works, "empty; tallylock will record each change in "+path, "")
	default:
		e.add(tried, doctor.Works, path+", with "+phrase.Count(len(records), "change"), "")
	}
}

// terminal tests whether the terminal can show the inspector.
func (e *examination) terminal() {
	const tried = "terminal"
	if err := needScreen(e.Run, ""); err != nil {
		e.add(tried, doctor.Untried, doctor.Failed(tried, err).Outcome, "only the inspector needs a terminal")
		return
	}
	width, height, err := term.GetSize(e.Out.Fd())
	if err != nil {
		e.say(doctor.Failed(tried, err))
		return
	}
	outcome := fmt.Sprintf("%s, %d × %d", os.Getenv("TERM"), width, height)
	if !print.Colourful(e.Out) {
		outcome += ", without colour"
	}
	if session.PlainLocale() {
		outcome += "; plain characters, because the locale is not UTF-8"
	}
	state, do := doctor.Works, ""
	if width < kit.MinWidth || height < kit.MinHeight {
		state = doctor.Doubtful
		do = fmt.Sprintf("the inspector needs %d × %d: make the window larger", kit.MinWidth, kit.MinHeight)
	}
	e.add(tried, state, outcome, do)
}

// connection tests the connection. It returns an error if the command line is wrong, or if it was
// cancelled.
func (e *examination) connection(ctx context.Context, t app.Target) error {
	conn, err := e.Connect(ctx, t)
	if client.KindOf(err) == client.Cancelled {
		return err
	}
	if err != nil {
		e.say(doctor.Failed(missing(err), err))
		e.add("endpoint", doctor.Untried, "no test of the endpoint is possible without the "+missing(err),
			"to try tallylock without AWS, run: tallylock demo")
		return nil
	}
	wait := func() (end func()) { return e.ShowWait(conn, "testing") }
	end := wait()
	defer func() { end() }()
	err = doctor.Connection(ctx, conn.Client, t.Table, ", the first table (choose another with --table),", func(l doctor.Line) {
		end()
		e.say(l)
		end = wait()
	})
	if ctx.Err() != nil {
		return conn.Explain("trying the connection", err)
	}
	return err
}

// missing returns the missing part of a connection, by the connection's error.
func missing(err error) string {
	switch client.KindOf(err) {
	case client.NoRegion:
		return "Region"
	case client.NoCredentials, client.Expired:
		return "credentials"
	}
	return "connection"
}

// add prints the result of a test: its name, state and outcome, and the next step.
func (e *examination) add(tried string, state doctor.State, outcome, do string) {
	l := doctor.Line{Tried: tried, State: state, Outcome: outcome}
	if do != "" {
		l.Do = []remedy.Remedy{remedy.Of(remedy.Text, do)}
	}
	e.say(l)
}

// say prints a result. In the format json, it keeps the result for the end.
func (e *examination) say(l doctor.Line) {
	if l.State == doctor.Fails {
		e.failed++
	}
	var do []string
	for _, r := range l.Do {
		do = append(do, say.Masked(say.Do(r)))
	}
	one := examined{l.Tried, string(l.State), say.Masked(l.Outcome), attr.NullIfEmpty(strings.Join(do, "; "))}
	switch e.Flags.Output {
	case app.JSON:
		e.said = append(e.said, one)
	case app.JSONLines:
		e.Print(one)
	default:
		e.write(one, signOf(l.State))
	}
}

// The widths of the columns before the outcome.
const (
	doctorSign  = 13
	doctorTried = 21
)

func (e *examination) write(one examined, sign kit.Sign) {
	const column = doctorSign + doctorTried
	p := e.Printer()
	p.Sign(sign, doctorSign)
	p.Put(kit.Strong, fmt.Sprintf("%-*s", doctorTried, strings.TrimPrefix(one.Tried, "dynamodb:")))
	p.Hang(kit.Text, column, one.Outcome)
	if one.Do != nil {
		p.Indented(kit.Muted, column, "→ "+*one.Do)
	}
}

// signOf returns the sign for a state.
func signOf(s doctor.State) kit.Sign {
	switch s {
	case doctor.Works:
		return kit.Sign{Glyph: kit.GlyphYes, Style: kit.Good, Word: string(s), Quiet: true}
	case doctor.Fails:
		return kit.Sign{Glyph: kit.GlyphNo, Style: kit.Bad, Word: string(s)}
	case doctor.Doubtful:
		return kit.Sign{Glyph: "!", Style: kit.Warn, Word: string(s)}
	}
	return kit.Sign{Glyph: kit.GlyphNone, Style: kit.Muted, Word: string(s), Quiet: true}
}

// Package adopt has the dialogs of an adoption: the transactions for the application's writers, the times that verify
// the writers, the result, and the end of an adoption. Start reading at AskWriters.
package adopt

import (
	"strings"

	tea "charm.land/bubbletea/v2"

	"tallylock/dynamo/adopt"
	"tallylock/keymap"
	"tallylock/ui/dialog"
	"tallylock/ui/kit"
	"tallylock/ui/message"
	"tallylock/ui/say"
	"tallylock/ui/session"
	"tallylock/ui/snippet"
)

// writers shows the transactions that the application has to use, as JSON or as code.
type writers struct {
	dialog.Text
	protocol *adopt.Protocol
	command  func(flags ...string) string // writes a command of the adoption
	verify   func() tea.Cmd

	at    int // the index among languages
	code  string
	err   error
	width int // the width to which the text is wrapped
}

// json is the choice that shows the requests as JSON, not as code.
const json = "json"

// languages lists the forms of the transactions.
func languages() []string {
	all := []string{json}
	for _, one := range snippet.Languages() {
		all = append(all, string(one))
	}
	return all
}

// AskWriters shows the transactions of a protocol. The parameter command returns the command line of this adoption
// with the given flags, and verify opens the question of how to verify the writers.
func AskWriters(
	s *session.Session, p *adopt.Protocol, command func(flags ...string) string, verify func() tea.Cmd,
) tea.Cmd {
	d := &writers{Text: dialog.Text{Session: s, Other: 10}, protocol: p, command: command, verify: verify}
	return s.Send(message.Ask{Dialog: d})
}

// fill writes the transactions into the dialog, in the chosen language.
func (d *writers) fill() {
	d.Clear()
	d.width = d.Width()
	d.err = nil
	if language := languages()[d.at]; language != json {
		d.code, d.err = snippet.Code(d.protocol, snippet.Language(language), d.command("--verify"))
		if why := snippet.WhyNone(d.err); why != "" {
			d.AddWords(kit.Warn, say.Sentence(why)+" Write the code from the transactions in JSON.")
			return
		}
		if d.err == nil {
			d.Add(kit.Text, strings.ReplaceAll(strings.TrimSuffix(d.code, "\n"), "\t", "    "))
		}
	} else {
		d.err = d.fillJSON()
	}
	if d.err != nil {
		d.AddWords(kit.Warn, say.Error(d.err))
	}
}

// fillJSON writes the requests, with their explanations.
func (d *writers) fillJSON() error {
	all, err := say.WriterTransactions(d.protocol)
	if err != nil {
		return err
	}
	for _, line := range say.WritersIntro(d.protocol) {
		d.AddWords(kit.Text, line)
	}
	d.code = ""
	for _, t := range all {
		text, err := t.Pretty()
		if err != nil {
			return err
		}
		d.code += text + "\n"
		d.Add(kit.Text, "")
		d.AddWords(kit.Strong, t.Heading)
		d.Add(kit.Text, text)
		for _, refused := range t.Refused {
			d.AddWords(kit.Muted, refused)
		}
	}
	d.Add(kit.Text, "")
	for _, note := range say.WritersNotes(d.protocol, d.command("--verify")) {
		d.AddWords(kit.Text, "- "+note)
	}
	return nil
}

// Draw implements dialog.Dialog.
func (d *writers) Draw() *kit.Box {
	if d.width != d.Width() {
		d.fill()
	}
	b := d.NewBox("The transactions for the " + d.protocol.Constraint.Name)
	b.Gap()
	b.Row(kit.Must, func(l *kit.Line) {
		l.To(2)
		for n, language := range languages() {
			style, mark := kit.Muted, "  "
			if n == d.at {
				style, mark = kit.Strong, kit.GlyphMark+" "
			}
			l.Put(style, mark+say.LanguageName(language)+"   ")
		}
	})
	b.Gap()
	d.Text.Draw(b)
	b.Gap()
	d.DrawHints(b, kit.Hint{Key: "←→", Words: "language"}, d.Hint(keymap.CopyCommand, "copy"),
		d.Hint(keymap.Press, "verify"), d.Hint(keymap.Leave, "close"))
	return b
}

// Key implements dialog.Dialog.
func (d *writers) Key(msg tea.Msg) tea.Cmd {
	key, _ := msg.(tea.KeyPressMsg)
	if d.Scroll(key.String()) {
		return nil
	}
	switch action, _ := d.DialogAction(msg); action {
	case keymap.NextField, keymap.NextButton:
		d.choose(1)
	case keymap.PreviousField, keymap.PreviousButton:
		d.choose(-1)
	case keymap.CopyCommand:
		if d.err != nil {
			return nil
		}
		return d.Copy("the transactions in "+say.LanguageName(languages()[d.at]), d.code)
	case keymap.CopyOwnCommand:
		return d.CopyLine(d.command("--writers", "--language", languages()[d.at]))
	case keymap.Press:
		return d.Press(0)
	case keymap.Leave:
		return d.Leave()
	}
	return nil
}

// choose shows the next or the previous language.
func (d *writers) choose(by int) {
	all := len(languages())
	d.at = (d.at + by + all) % all
	d.fill()
}

// Press implements dialog.Dialog.
func (d *writers) Press(int) tea.Cmd { return d.verify() }

// Leave implements dialog.Dialog.
func (d *writers) Leave() tea.Cmd { return d.Send(message.Close{}) }

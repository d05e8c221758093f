// Package save is the dialog that asks for a file to save something to. Start reading at Ask.
package save

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	tea "charm.land/bubbletea/v2"

	"tallylock/dynamo/phrase"
	"tallylock/keymap"
	"tallylock/ui/dialog"
	"tallylock/ui/kit"
	"tallylock/ui/message"
	"tallylock/ui/say"
	"tallylock/ui/session"
	"tallylock/ui/task"
)

// save asks for a file. If the file exists, it asks again, with "No" focused.
type save struct {
	*session.Session
	of   File
	file kit.Field
	dialog.Choice
	existing string // the path, if that file exists already; else empty
	saved    string // the path of the saved file, while its command is shown; else empty
	what     string // the name of the saved content
}

// The buttons.
const (
	no = iota
	yes
)

// Ask asks for the file.
func Ask(s *session.Session, m File) tea.Cmd {
	if why := s.Options.Guest.WhyNoFiles(); why != "" {
		return s.Say(say.Sentence(why))
	}
	d := &save{Session: s, of: m, file: kit.NewField(m.File)}
	d.Choice = dialog.Choice{
		Field: &d.file, Buttons: []string{"No, leave it", "Save"}, On: dialog.InField, Leave: "leave it",
		Off: func(n int) bool { return n == yes && d.typed() == "" },
	}
	return s.Send(message.Ask{Dialog: d})
}

// typed returns the typed name of the file.
func (d *save) typed() string { return strings.TrimSpace(d.file.Value()) }

func (d *save) Draw() *kit.Box {
	if d.saved != "" {
		return d.drawSaved()
	}
	b := kit.NewBox(d.Styles, d.Size.Width, kit.Accent, kit.Heading.Of(d.of.Title))
	b.Gap()
	b.Para(kit.Must, kit.Strong, d.of.Says())
	b.Gap()
	b.InputRow("file", &d.file, "a file's name", d.On == dialog.InField, 48, "")
	path, err := absolute(d.typed())
	switch {
	case d.Err != nil:
		b.Fact(kit.Must, "not saved", kit.Warn, say.Sentence(phrase.WithoutPath(d.Err)))
	case d.existing != "" && d.existing == path:
		b.Fact(kit.Must, "but", kit.Warn, "This file already exists.")
	case err == nil:
		b.Fact(kit.Note, "in", kit.Muted, filepath.Dir(path))
	}
	b.Fact(kit.Note, "holds", kit.Muted, "values of the table: only you may read the file")
	b.Gap()
	d.Enter = ""
	if d.On == dialog.InField {
		d.Enter = "save"
	}
	d.Buttons[yes] = "Save"
	if err == nil && path == d.existing {
		d.Buttons[yes] = "Replace it"
	}
	d.Choice.Draw(b, d.Session)
	return b
}

// drawSaved draws the command about the saved file.
func (d *save) drawSaved() *kit.Box {
	b := kit.NewBox(d.Styles, d.Size.Width, kit.Good, kit.Heading.Of("Saved "+d.what))
	b.Gap()
	b.Fact(kit.Must, "file", kit.Text, d.saved)
	b.Gap()
	b.Para(kit.Must, kit.Text, "A colleague with permission to write can run:")
	b.Para(kit.Must, kit.Strong, d.of.Command(d.saved))
	b.Gap()
	d.Choice.Draw(b, d.Session)
	return b
}

func (d *save) Key(msg tea.Msg) tea.Cmd {
	if action, _ := d.DialogAction(msg); d.saved != "" && action == keymap.CopyCommand {
		return d.CopyCommand("the command", d.of.Command(d.saved))
	}
	return d.Choice.Key(d, d.Session, msg)
}

// Press saves or leaves. In the field it saves, too, but only the button replaces an existing file.
func (d *save) Press(n int) tea.Cmd {
	switch {
	case d.saved != "":
		return d.close()
	case n == no:
		return d.Leave()
	}
	path, err := absolute(d.typed())
	if d.typed() == "" || err != nil {
		d.Err, d.On = errors.Join(errors.New("name a file"), err), dialog.InField
		return nil
	}
	replace := path == d.existing
	if replace && d.On == dialog.InField {
		d.On = no
		return nil
	}
	saved := d.of.Now()
	return task.Start(d.Tasks, task.Saving, func(ctx context.Context) (struct{}, error) {
		data, err := saved.Encode(ctx, path)
		if err == nil {
			err = session.WriteFile(path, data, replace)
		}
		return struct{}{}, err
	}, func(_ struct{}, err error) tea.Cmd {
		switch {
		case err == nil && d.of.Command != nil:
			d.saved, d.what = path, saved.What
			d.Choice = dialog.Choice{
				Buttons: []string{"Done"}, Leave: "close", Enter: "close",
				Hints: []kit.Hint{d.Hint(keymap.CopyCommand, "copy the command")},
			}
		case err == nil:
			return tea.Batch(d.close(), d.Say("Saved "+saved.What+" to "+path+"."))
		case errors.Is(err, fs.ErrExist):
			d.existing, d.On, d.Err = path, no, nil
		default:
			d.Err, d.On = err, dialog.InField
		}
		return nil
	})
}

func (d *save) Leave() tea.Cmd {
	if d.saved != "" {
		return d.close()
	}
	d.Tasks.Drop(task.Saving)
	return tea.Batch(d.close(), d.Say("Nothing was saved."))
}

// close closes the dialog. If another dialog has opened it, that one comes back.
func (d *save) close() tea.Cmd {
	if d.of.Under != nil {
		return d.Send(message.Ask{Dialog: d.of.Under})
	}
	return d.Send(message.Close{})
}

// absolute resolves a typed file name. "~/" is the home directory. Other relative names are below
// the working directory.
func absolute(typed string) (string, error) {
	if rest, ok := strings.CutPrefix(typed, "~"+string(filepath.Separator)); ok {
		home, err := os.UserHomeDir()
		if err != nil {
			return "", err
		}
		typed = filepath.Join(home, rest)
	}
	return filepath.Abs(typed)
}

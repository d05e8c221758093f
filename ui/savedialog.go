package ui

import (
	"context"
	"errors"
	"io/fs"
	"path/filepath"

	tea "charm.land/bubbletea/v2"

	"tallylock/dynamo/phrase"
	"tallylock/keymap"
	"tallylock/ui/kit"
	"tallylock/ui/message"
	"tallylock/ui/task"
	"tallylock/ui/words"
)

// saveDialog asks for the file that findings are saved to. Where it is there
// already it asks once more, and starts on No.
type saveDialog struct {
	app   *app
	found message.SaveFindings
	file  kit.Field
	on    int    // the button with the focus; −1 is the field
	taken string // the file that is there already
	err   error  // why it could not be saved
}

func (a *app) askSave(found message.SaveFindings) tea.Cmd {
	a.show(&saveDialog{app: a, found: found, file: kit.NewField(filepath.Base(found.Table) + "-findings.jsonl"), on: -1})
	return nil
}

func (d *saveDialog) draw() *kit.Box {
	a := d.app
	b := kit.NewBox(a.Styles, a.Size.Width, kit.Accent, kit.Heading.Of("Save the findings"))
	b.Gap()
	so := ""
	if d.found.Summary == nil {
		so = " so far"
	}
	b.Para(kit.Must, kit.Strong, "Saves "+phrase.Count(len(d.found.Findings), "finding")+so+" of "+d.found.Table+", a line of JSON each, as `tallylock check --output jsonl` writes them. `tallylock mend` takes them.")
	b.Gap()
	b.InputRow("file", &d.file, "a file's name", d.on == -1, 48, "")
	path, err := savePath(d.file.Value())
	switch {
	case d.err != nil:
		b.Fact(kit.Must, "not saved", kit.Warn, words.Sentence(reasonOf(d.err)))
	case d.taken != "" && d.taken == path:
		b.Fact(kit.Must, "but", kit.Warn, "This file is there already.")
	case err == nil:
		b.Fact(kit.Note, "in", kit.Muted, filepath.Dir(path))
	}
	b.Fact(kit.Note, "holds", kit.Muted, "values of the table: only you may read the file")
	b.Gap()
	b.Buttons([]string{"No, leave it", d.word()}, d.on, func(n int) bool { return n == 1 && d.file.Value() == "" })
	b.Gap()
	enter := "press"
	if d.on == -1 {
		enter = "save"
	}
	b.Hints(kit.Hint{Key: a.Keys.Key(keymap.NextField), Words: "next"}, kit.Hint{Key: a.Keys.Key(keymap.Press), Words: enter}, kit.Hint{Key: a.Keys.Key(keymap.Leave), Words: "leave it"})
	return b
}

// word is what the button says.
func (d *saveDialog) word() string {
	if path, err := savePath(d.file.Value()); err == nil && path == d.taken {
		return "Replace it"
	}
	return "Save"
}

func (d *saveDialog) key(msg tea.Msg) tea.Cmd {
	action, leaves := d.app.DialogAction(msg)
	if d.on == -1 && !leaves {
		if d.file.Update(msg) {
			d.err = nil
		}
		return nil
	}
	switch action {
	case keymap.Leave:
		return d.leave()
	case keymap.NextField:
		d.move(1)
	case keymap.PreviousField:
		d.move(-1)
	case keymap.Press:
		if d.on == -1 {
			return d.press(1)
		}
		return d.press(d.on)
	}
	return nil
}

func (d *saveDialog) move(by int) {
	d.on = along([]int{-1, 0, 1}, d.on, by)
}

// press saves, or leaves. What is there already is replaced by its own button only.
func (d *saveDialog) press(n int) tea.Cmd {
	if n == 0 {
		return d.leave()
	}
	a := d.app
	path, err := savePath(d.file.Value())
	if d.file.Value() == "" || err != nil {
		d.err, d.on = errors.Join(errors.New("name a file"), err), -1
		return nil
	}
	replace := path == d.taken
	if replace && d.on == -1 {
		d.on = 0
		return nil
	}
	what := saved{d.found.Findings, d.found.Summary}
	return task.Start(a.Tasks, task.Saving, func(ctx context.Context) (struct{}, error) {
		return struct{}{}, what.save(ctx, path, replace)
	}, func(_ struct{}, err error) tea.Cmd {
		switch {
		case err == nil:
			if a.dialog == d {
				a.hide()
			}
			return a.Say("Saved " + phrase.Count(len(what.findings), "finding") + " to " + path + ".")
		case a.dialog != d:
			return a.Complain("Saving the findings to " + path + ": " + reasonOf(err) + ".")
		case errors.Is(err, fs.ErrExist):
			d.taken, d.on, d.err = path, 0, nil
		default:
			d.err, d.on = err, -1
		}
		return nil
	})
}

// reasonOf is why a file could not be written, without the call and the path.
func reasonOf(err error) string {
	if e := (*fs.PathError)(nil); errors.As(err, &e) {
		return e.Err.Error()
	}
	return err.Error()
}

func (d *saveDialog) leave() tea.Cmd {
	d.app.Tasks.Drop(task.Saving)
	d.app.hide()
	return d.app.Say("Nothing was saved.")
}

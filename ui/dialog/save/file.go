package save

import (
	"context"

	"tallylock/ui/dialog"
	"tallylock/ui/record"
)

// File asks for a file to save something to. The program calls Now when it writes the file, because it may read more
// while a person types the file's name.
type File struct {
	Title string
	File  string        // the proposed file name
	Says  func() string // a sentence about the content so far
	Now   func() Content
	Under dialog.Dialog // the dialog to return to; nil for none
	// Command returns a command about the saved file, for a colleague. nil: there is none.
	Command func(path string) string
}

// Content is something to save, and its name in the message afterwards: "12 findings". The extension of path may decide
// the format.
type Content struct {
	What   string
	Encode func(ctx context.Context, path string) ([]byte, error)
}

// Listed is the current content of a list, to be saved.
type Listed struct {
	What string // "12 findings"
	Of   string // which table, and how much of it: " of accounts, as far as it is read"
	Tail string // another sentence; empty: none
	List func() record.List
}

// List asks for a file to save a list to. The file name's extension decides the format.
func List(title, file string, now func() Listed) File {
	return File{
		Title: title, File: file,
		Says: func() string {
			l := now()
			said := "Saves " + l.What + l.Of + ", " + record.Formats + "."
			if l.Tail != "" {
				said += " " + l.Tail
			}
			return said
		},
		Now: func() Content {
			l := now()
			return Content{l.What, l.List().Encode}
		},
	}
}

package message

import (
	"context"

	"tallylock/ui/record"
	"tallylock/ui/session"
)

// Listed is what a list holds now, to be saved.
type Listed struct {
	What string // "12 findings"
	Of   string // of what, and how far that is all: " of accounts, as far as it is read"
	Tail string // another sentence; empty: none
	List func() record.List
}

// SaveList asks for the file that a list is saved to, in the format that the file's name
// stands for.
func SaveList(title, file string, now func() Listed) Save {
	return Save{
		Title: title, File: file,
		Says: func() string {
			l := now()
			said := "Saves " + l.What + l.Of + ", " + record.Formats + "."
			if l.Tail != "" {
				said += " " + l.Tail
			}
			return said
		},
		Now: func() Saved {
			l := now()
			list := l.List()
			return Saved{What: l.What, To: func(ctx context.Context, path string, replace bool) error {
				data, err := list.Encode(ctx, path)
				if err != nil {
					return err
				}
				return session.WriteFile(path, data, replace)
			}}
		},
	}
}

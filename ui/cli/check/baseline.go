package check

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"tallylock/dynamo"
	"tallylock/dynamo/check/finding"
	"tallylock/dynamo/check/setting"
	"tallylock/dynamo/check/twice"
	"tallylock/dynamo/layout/config"
	"tallylock/dynamo/phrase"
	"tallylock/ui/cli/app"
	"tallylock/ui/cli/exit"
	"tallylock/ui/session"
)

// baseline is the file of --baseline. path is empty without that flag.
type baseline struct {
	path   string
	file   string // the file to read: path, or an empty file if path does not exist yet
	update bool   // --update-baseline
	accept bool   // --accept-new
	known  *finding.Baseline
	added  accepted // the new findings, with accept
}

// begin reads the baseline. If the check updates it, begin makes sure that it can be written.
func (b *baseline) begin(ctx context.Context, run *app.Run) error {
	const op = "reading the command line"
	switch {
	case b.accept && !b.update:
		return exit.Usage(op, "--accept-new has no effect without --update-baseline", "add --update-baseline")
	case b.update && b.path == "":
		return exit.Usage(op, "--update-baseline needs a baseline", "name the file with --baseline FILE")
	case b.update && b.path == "-":
		return exit.Usage(op, "--update-baseline cannot write to standard input", "name a file with --baseline FILE")
	case b.path == "":
		return nil
	}
	b.file = b.path
	if b.update {
		ignorePipe()
		if at, err := filepath.EvalSymlinks(b.path); err == nil {
			b.path, b.file = at, at // otherwise the update would replace the link
		}
		if err := unwritable("baseline", b.path, session.Writable(b.path)); err != nil {
			return err
		}
		if _, err := os.Stat(b.path); b.accept && errors.Is(err, fs.ErrNotExist) {
			b.file = os.DevNull
			run.Note("The baseline %s does not exist yet, so it starts empty.", b.path)
		}
	}
	in := run.Reading(ctx, b.file)
	defer in.Close()
	var err error
	b.known, err = finding.ReadBaseline(in)
	return app.CannotRead(err, "reading the baseline "+b.path, "name a file that `tallylock check --output jsonl` wrote")
}

// of makes sure that a check of this table may update the baseline.
func (b *baseline) of(t *dynamo.Table) error {
	if !b.update {
		return nil
	}
	if why := b.known.Foreign(t.Name, t.ID, config.Hashes(t.Layout)); why != "" {
		return exit.Usage("updating the baseline "+b.path, why,
			"begin a new baseline with --baseline NEWFILE --update-baseline --accept-new")
	}
	return nil
}

// since makes sure that the baseline has no findings about items newer than asOf, the time of the check's items.
func (b *baseline) since(asOf time.Time) error {
	if !b.update {
		return nil
	}
	if why := b.known.Newer(asOf); why != "" {
		return exit.Usage("updating the baseline "+b.path, why, "check a newer export, or leave out --update-baseline")
	}
	return nil
}

// add keeps a new finding for the update.
func (b *baseline) add(f finding.Finding) {
	if b.accept {
		b.added.add(f)
	}
}

// write updates the file after the check. unseen is the error if the findings could not be printed, or nil.
func (b *baseline) write(run *app.Run, s finding.Summary, o *setting.Options, unseen error) error {
	switch {
	case !b.update:
		return nil
	case !s.Complete:
		run.Note("The baseline %s is unchanged, because the check is incomplete.", b.path)
		return nil
	case unseen != nil:
		run.Note("The baseline %s is unchanged, because the findings could not be written.", b.path)
		return nil
	}
	if s.AsOf.IsZero() {
		run.Note("The time of the export is unknown. So the check removes no finding from the baseline %s.", b.path)
	}
	added, err := b.added.lines()
	if err != nil {
		return unwritable("new findings to", twice.TempDir(b.added.folder), err)
	}
	unlock, err := b.lock()
	if err != nil {
		return unwritable("baseline", b.path, err)
	}
	defer unlock()
	var did finding.Updated
	err = session.UpdateFile(b.path, 0o600, func(w io.Writer) error {
		old, err := os.Open(b.path)
		if errors.Is(err, fs.ErrNotExist) && b.file == os.DevNull {
			old, err = os.Open(b.file)
		}
		if err != nil {
			return err
		}
		defer old.Close()
		did, err = b.known.Update(w, old, added, s, o.Wants)
		return err
	})
	if err != nil {
		b.removeEmpty()
		return unwritable("baseline", b.path, err)
	}
	run.Note("Baseline %s: removed %s, added %s, kept %s.", b.path, phrase.Number(did.Removed), phrase.Number(did.Added),
		phrase.Number(did.Kept))
	if did.Unchecked > 0 {
		run.Note("This check did not verify %s of the kept findings: it did not look for them, or their items changed.",
			phrase.Number(did.Unchecked))
	}
	return nil
}

// removeEmpty removes the empty file of a baseline that lock began.
func (b *baseline) removeEmpty() {
	if info, err := os.Stat(b.path); b.file == os.DevNull && err == nil && info.Size() == 0 {
		_ = os.Remove(b.path)
	}
}

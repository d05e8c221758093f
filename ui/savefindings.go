package ui

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"tallylock/dynamo/attr"
	"tallylock/dynamo/check"
)

// saved is the findings of a check as lines, with its summary where it is over.
type saved struct {
	findings []check.Finding
	summary  *check.Summary
}

func (s saved) lines(ctx context.Context) ([]byte, error) {
	var out []byte
	for _, f := range s.findings {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		line, err := attr.Line(f, "")
		if err != nil {
			return nil, err
		}
		out = append(out, line...)
	}
	if s.summary == nil {
		return out, nil
	}
	line, err := attr.Line(struct {
		Summary *check.Summary `json:"summary"`
	}{s.summary}, "")
	return append(out, line...), err
}

// savePath is the file that was typed: below the home directory after "~/", else
// below the working directory.
func savePath(typed string) (string, error) {
	typed = strings.TrimSpace(typed)
	if rest, ok := strings.CutPrefix(typed, "~"+string(filepath.Separator)); ok {
		home, err := os.UserHomeDir()
		if err != nil {
			return "", err
		}
		typed = filepath.Join(home, rest)
	}
	return filepath.Abs(typed)
}

// save writes the lines to a file that nobody else may read: values of a table are
// in it. A file that is there is replaced only where that is asked for, as a whole.
func (s saved) save(ctx context.Context, path string, replace bool) error {
	data, err := s.lines(ctx)
	if err != nil {
		return err
	}
	if !replace {
		f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
		if err != nil {
			return err
		}
		if err := filled(f, data); err != nil {
			return errors.Join(err, os.Remove(path))
		}
		return nil
	}
	if old, err := os.Lstat(path); err == nil && !old.Mode().IsRegular() {
		return &fs.PathError{Op: "replace", Path: path, Err: fmt.Errorf("it is no ordinary file")}
	}
	f, err := os.CreateTemp(filepath.Dir(path), ".findings-*") // 0600
	if err != nil {
		return err
	}
	if err := filled(f, data); err != nil {
		return errors.Join(err, os.Remove(f.Name()))
	}
	if err := os.Rename(f.Name(), path); err != nil {
		return errors.Join(err, os.Remove(f.Name()))
	}
	return nil
}

// filled writes a file to its end.
func filled(f *os.File, data []byte) error {
	_, err := f.Write(data)
	return errors.Join(err, f.Sync(), f.Close())
}

package check

import (
	"bufio"
	"errors"
	"io"
	"os"

	"tallylock/dynamo/attr"
	"tallylock/dynamo/check/finding"
	"tallylock/dynamo/check/twice"
)

// accepted keeps the new findings of --accept-new in a temporary file, because there may be more than the memory holds.
type accepted struct {
	folder string // for the file, as in setting.Options.Temp
	file   *os.File
	out    *bufio.Writer
	end    func() error
	err    error // the first error of the file
}

// add adds a finding as a JSON line.
func (a *accepted) add(f finding.Finding) {
	if a.file == nil && a.err == nil {
		if a.file, a.end, a.err = twice.CreateTemp(twice.TempDir(a.folder), "tallylock-*.accepted"); a.err == nil {
			a.out = bufio.NewWriter(a.file)
		}
	}
	if a.err == nil {
		line, _ := attr.Line(f, "") // it cannot fail
		_, a.err = a.out.Write(line)
	}
}

// lines returns a reader of all lines.
func (a *accepted) lines() (io.Reader, error) {
	if a.err != nil || a.file == nil {
		return nil, a.err
	}
	err := a.out.Flush()
	if err == nil {
		_, err = a.file.Seek(0, io.SeekStart)
	}
	return a.file, err
}

// close removes the file.
func (a *accepted) close() {
	if a.end != nil {
		a.err = errors.Join(a.err, a.end())
	}
}

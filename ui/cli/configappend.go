package cli

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"slices"

	"tallylock/dynamo/layout"
	"tallylock/dynamo/phrase"
	"tallylock/ui/session"
)

// writeLayout writes a layout into the config file, behind what stands there.
// What stands there is left as it is, byte for byte, and the file is written
// whole or not at all.
func (f *flags) writeLayout(l layout.Config, note func(section, setting string) string) error {
	path := f.configPath()
	op := "writing the layout into the config " + path
	old, err := os.ReadFile(path)
	if err != nil && !(errors.Is(err, fs.ErrNotExist) && f.config == "") {
		return usage(op, phrase.WithoutPath(err), "copy the layout, and put it where the config is")
	}
	text, err := appendLayout(old, l, note)
	if err != nil {
		return usage(op, err.Error(), "copy the layout, and put it into the file by hand")
	}
	if err := replaceConfig(path, old, text); err != nil {
		return usage(op, phrase.WithoutPath(err), "copy the layout, and put it into the file by hand")
	}
	return nil
}

// appendLayout puts a layout behind the text of a config, and makes sure that it is read
// there as what it is, and everything else as before.
func appendLayout(old []byte, l layout.Config, note func(section, setting string) string) ([]byte, error) {
	c, err := parseConfig(old)
	if err != nil {
		return nil, err
	}
	for n, one := range c.Layouts {
		for _, table := range l.Tables {
			if slices.Contains(one.Tables, table) {
				return nil, fmt.Errorf("line %d: the layout %s already describes %s, and a table has only one",
					linesOf(old).at(fmt.Sprintf("layout[%d]", n)), one.Name, table)
			}
		}
	}
	taken := func(name string) bool {
		return slices.ContainsFunc(c.Layouts, func(one layout.Config) bool { return one.Name == name })
	}
	for n, name := 2, l.Name; taken(l.Name); n++ {
		l.Name = fmt.Sprintf("%s-%d", name, n)
	}
	text := bytes.Clone(old)
	if len(text) > 0 && !bytes.HasSuffix(text, []byte("\n")) {
		text = append(text, '\n')
	}
	if len(text) > 0 {
		text = append(text, '\n')
	}
	text = append(text, l.Annotated(note)...)
	got, err := parseConfig(text)
	if err != nil {
		return nil, fmt.Errorf("the file would be read differently afterwards: %w", err)
	}
	meant, err := l.Build()
	if err != nil {
		return nil, err
	}
	is, err := got.Layouts[len(got.Layouts)-1].Build()
	if err != nil || !reflect.DeepEqual(is.Config(), meant.Config()) {
		return nil, errors.New("the file would be read differently afterwards")
	}
	return text, nil
}

// replaceConfig writes the config whole or not at all, unless it has changed since it was
// read. A link stays one, and a file keeps its mode.
func replaceConfig(path string, old, text []byte) error {
	mode := fs.FileMode(0o600)
	if file, err := filepath.EvalSymlinks(path); err == nil {
		path = file
		f, err := os.OpenFile(path, os.O_WRONLY, 0) // a file that is not to be written is not replaced either
		if err != nil {
			return err
		}
		info, err := f.Stat()
		if err = errors.Join(err, f.Close()); err != nil {
			return err
		}
		mode = info.Mode().Perm()
	} else if _, broken := os.Readlink(path); broken == nil {
		return errors.New("it is a link to nothing")
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return err
	}
	if now, _ := os.ReadFile(path); !bytes.Equal(now, old) {
		return errors.New("somebody changed it meanwhile")
	}
	if err := session.WriteFile(path, text, true); err != nil {
		return err
	}
	return os.Chmod(path, mode)
}

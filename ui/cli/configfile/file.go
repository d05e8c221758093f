// Package configfile reads the config file, finds the line of each mistake in it, and appends layouts
// to it.
package configfile

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"sync"
	"unicode/utf8"

	"github.com/adrg/xdg"
	"github.com/pelletier/go-toml/v2"

	"tallylock/dynamo/change/journal"
	"tallylock/dynamo/check/setting"
	"tallylock/dynamo/client"
	"tallylock/dynamo/layout"
	"tallylock/dynamo/layout/config"
	"tallylock/dynamo/mistake"
	"tallylock/dynamo/phrase"
	"tallylock/keymap"
	"tallylock/ui/cli/exit"
	"tallylock/ui/kit"
	"tallylock/ui/serve/access"
	"tallylock/ui/session"
)

// File is the config file. The settings at its top are for the commands. Each section has the type
// of the package that uses it.
type File struct {
	DefaultConnection string `toml:"default_connection"`
	Journal           string `toml:"journal"`
	client.Settings
	Connections []client.Config     `toml:"connection"`
	Layouts     []config.Layout     `toml:"layout"`
	Check       setting.Config      `toml:"check"`
	UI          session.Config      `toml:"ui"`
	Theme       kit.Theme           `toml:"theme"`
	Keys        map[string][]string `toml:"keys"`
	Serve       access.Config       `toml:"serve"`
	lines       lines
}

// Line returns the line of a setting by its path, such as "serve.user[1].tables".
func (c File) Line(path string) int { return c.lines.at(path) }

// locate sets the Origin of each part of the layouts.
func (c File) locate(path string) {
	lines := c.lines
	for n := range c.Layouts {
		section := fmt.Sprintf("layout[%d]", n)
		c.Layouts[n].Locate(func(part string) layout.Origin {
			at := strings.TrimSuffix(section+"."+part, ".")
			return layout.Origin{File: path, Line: lines.at(at), Keys: lines.within(at)}
		})
	}
}

// JournalFile returns where the journal is, or would be. flag is the value of --journal.
func (c File) JournalFile(flag string) string {
	return cmp.Or(flag, c.Journal, journal.Default())
}

// InspectorUnits returns the limit of read units for a session of the inspector. Commands have no default limit,
// because it could stop them in the middle.
func (c File) InspectorUnits() *client.Ceiling {
	return cmp.Or(c.SessionReadUnits, &client.Ceiling{Units: client.DefaultSessionReadUnits})
}

func (c File) check() error {
	if err := c.Settings.Check(); err != nil {
		return err
	}
	if err := config.Check(c.Layouts); err != nil {
		return err
	}
	if err := c.checkConnections(); err != nil {
		return err
	}
	if err := c.Serve.Check(c.ConnectionNames()); err != nil {
		return err
	}
	_, err := keymap.FromConfig(c.Keys)
	return err
}

func (c File) checkConnections() error {
	layouts, err := c.LayoutNames()
	if err != nil {
		return err
	}
	var names []string
	for n, conn := range c.Connections {
		at := fmt.Sprintf("connection[%d]", n)
		switch err := conn.Check(); {
		case conn.Name == "":
			return mistake.Errorf(at, "[[connection]] number %d has no name, so --connection cannot choose it: add a name", n+1)
		case slices.Contains(names, conn.Name):
			return mistake.Errorf(at+".name", "two connections have the name %q: change one of the names", conn.Name)
		case err != nil:
			return mistake.At(at, fmt.Errorf("connection %s: %w", conn.Name, err))
		case conn.Layout != "" && !slices.Contains(layouts, conn.Layout):
			return mistake.Errorf(at+".layout", "connection %s: no layout or preset has the name %q%s", conn.Name,
				conn.Layout, mistake.Meant(conn.Layout, layouts...))
		}
		names = append(names, conn.Name)
	}
	if c.DefaultConnection != "" && !slices.Contains(names, c.DefaultConnection) {
		return mistake.Errorf("default_connection", "default_connection: no connection has the name %q%s", c.DefaultConnection,
			mistake.Meant(c.DefaultConnection, names...))
	}
	return nil
}

// ConnectionNames lists the names of the connections.
func (c File) ConnectionNames() []string {
	var names []string
	for _, conn := range c.Connections {
		names = append(names, conn.Name)
	}
	return names
}

// LayoutNames lists the layouts and presets that a connection can name.
func (c File) LayoutNames() ([]string, error) {
	presets, err := config.Presets()
	if err != nil {
		return nil, err
	}
	var names []string
	for _, l := range c.Layouts {
		names = append(names, l.Name)
	}
	for _, p := range presets {
		names = append(names, p.Name)
	}
	return names, nil
}

// Source is the value of --config: the path of the config file. If it is empty, the config is the
// user's own, which may be missing.
type Source string

// Read reads the config. It never looks into the working directory.
func (at Source) Read() (File, error) {
	data, err := at.data()
	if err != nil {
		return File{}, err
	}
	return at.parse(data)
}

// parse parses the text of the config file.
func (at Source) parse(data []byte) (File, error) {
	c, err := Parse(data)
	if err != nil {
		return c, exit.Usage("reading the config "+at.Path(), err.Error(),
			"correct the file; `tallylock config` prints an example")
	}
	c.lines = linesOf(data)
	c.locate(at.Path())
	return c, nil
}

// data returns the text of the config file. It returns nil if there is no file and --config is not
// given.
func (at Source) data() ([]byte, error) {
	path := at.Path()
	const endless = fs.ModeNamedPipe | fs.ModeSocket | fs.ModeDevice
	if info, err := os.Stat(path); err == nil && info.Mode()&endless != 0 && path != os.DevNull {
		return nil, exit.Usage("reading the config "+path, "a config must be a file, but this is a pipe or a device", "name a file with --config")
	}
	data, err := os.ReadFile(path)
	switch {
	case errors.Is(err, fs.ErrNotExist) && at == "":
		return nil, nil
	case err != nil:
		return nil, exit.Usage("reading the config "+path, phrase.WithoutPath(err),
			"name another file with --config; `tallylock config` prints an example")
	}
	return data, nil
}

// LayoutReader returns a function that reads the config's layouts again. It parses the file only if it
// has changed, since a release of many locks calls it before each deletion.
func (at Source) LayoutReader() func() ([]config.Layout, error) {
	var mu sync.Mutex
	var last []byte
	var layouts []config.Layout
	return func() ([]config.Layout, error) {
		mu.Lock()
		defer mu.Unlock()
		data, err := at.data()
		if err != nil || last != nil && bytes.Equal(data, last) {
			return layouts, err
		}
		c, err := at.parse(data)
		if err != nil {
			return nil, err
		}
		last, layouts = data, c.Layouts
		return layouts, nil
	}
}

// Path returns where the config file is, or would be.
func (at Source) Path() string {
	if at != "" {
		return string(at)
	}
	return filepath.Join(xdg.ConfigHome, "tallylock", "config.toml")
}

// AppendLayout adds a layout at the end of the config file. The old text stays byte for byte. AppendLayout
// writes the whole file, or nothing.
func (at Source) AppendLayout(l config.Layout, note func(section, setting string) string) error {
	path := at.Path()
	op := "writing the layout into the config " + path
	old, err := os.ReadFile(path)
	if err != nil && !(errors.Is(err, fs.ErrNotExist) && at == "") {
		return exit.Usage(op, phrase.WithoutPath(err), "copy the layout into the file yourself")
	}
	text, err := appendLayout(old, l, note)
	if err != nil {
		return exit.Usage(op, err.Error(), "copy the layout into the file yourself")
	}
	if err := replaceConfig(path, old, text); err != nil {
		return exit.Usage(op, phrase.WithoutPath(err), "copy the layout into the file yourself")
	}
	return nil
}

// Parse parses and checks a config file. Its errors have the number of the line.
func Parse(data []byte) (File, error) {
	if !utf8.Valid(data) {
		return File{}, errors.New("the file is not text in UTF-8: save it as UTF-8")
	}
	c, err := decodeConfig(data)
	if err != nil {
		line, why := placed(data, err)
		return c, fmt.Errorf("line %d: %s", line, why)
	}
	if err := c.check(); err != nil {
		return c, fmt.Errorf("line %d: %w", linesOf(data).at(mistake.Path(err)), err)
	}
	return c, nil
}

func decodeConfig(data []byte) (File, error) {
	var c File
	err := toml.NewDecoder(bytes.NewReader(unmarked(data))).DisallowUnknownFields().Decode(&c)
	return c, err
}

// unmarked removes the byte order mark that some editors write.
func unmarked(data []byte) []byte { return bytes.TrimPrefix(data, []byte("\ufeff")) }

// appendLayout adds a layout to the text of a config. It makes sure that the new text is valid, and that
// the layout reads back unchanged.
func appendLayout(old []byte, l config.Layout, note func(section, setting string) string) ([]byte, error) {
	c, err := Parse(old)
	if err != nil {
		return nil, err
	}
	for n, one := range c.Layouts {
		for _, table := range l.Tables {
			if slices.Contains(one.Tables, table) {
				return nil, fmt.Errorf("line %d: the layout %s already describes the table %s, and a table can have only one layout",
					linesOf(old).at(fmt.Sprintf("layout[%d]", n)), one.Name, table)
			}
		}
	}
	taken := func(name string) bool {
		return slices.ContainsFunc(c.Layouts, func(one config.Layout) bool { return one.Name == name })
	}
	for n, name := 2, l.Name; taken(l.Name); n++ {
		l.Name = fmt.Sprintf("%s-%d", name, n)
	}
	text := bytes.Clone(old)
	if len(text) > 0 {
		text = append(bytes.TrimSuffix(text, []byte("\n")), "\n\n"...)
	}
	text = append(text, l.Annotated(note)...)
	got, err := Parse(text)
	if err != nil {
		return nil, fmt.Errorf("with the new layout, the config would be invalid: %w", err)
	}
	meant, err := l.Build()
	if err != nil {
		return nil, err
	}
	is, err := got.Layouts[len(got.Layouts)-1].Build()
	if err != nil || !reflect.DeepEqual(config.Of(is), config.Of(meant)) {
		return nil, errors.New("the config would not describe the same layout")
	}
	return text, nil
}

// replaceConfig writes the config whole, or not at all. It refuses if the file has changed since it was
// read. It follows a link, and keeps the mode of the file.
func replaceConfig(path string, old, text []byte) error {
	mode := fs.FileMode(0o600)
	if file, err := filepath.EvalSymlinks(path); err == nil {
		path = file
		f, err := os.OpenFile(path, os.O_WRONLY, 0) // refuse a file that is not writable
		if err != nil {
			return err
		}
		info, err := f.Stat()
		if err = errors.Join(err, f.Close()); err != nil {
			return err
		}
		mode = info.Mode().Perm()
	} else if _, broken := os.Readlink(path); broken == nil {
		return errors.New("the path is a link to a file that does not exist")
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return err
	}
	if now, _ := os.ReadFile(path); !bytes.Equal(now, old) {
		return errors.New("somebody has just changed the file")
	}
	if err := session.WriteFile(path, text, true); err != nil {
		return err
	}
	return os.Chmod(path, mode)
}

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
	"strings"
	"sync"
	"unicode/utf8"

	"github.com/adrg/xdg"
	"github.com/pelletier/go-toml/v2"
	"github.com/spf13/cobra"

	"tallylock/dynamo/check/setting"
	"tallylock/dynamo/client"
	"tallylock/dynamo/layout"
	"tallylock/dynamo/layout/config"
	"tallylock/dynamo/mistake"
	"tallylock/dynamo/phrase"
	"tallylock/keymap"
	"tallylock/ui/kit"
	"tallylock/ui/session"
)

// configFile is the config file. The settings at its top are for the commands. Each section has the type
// of the package that uses it.
type configFile struct {
	DefaultConnection string `toml:"default_connection"`
	Journal           string `toml:"journal"`
	client.Settings
	Connections []client.Config     `toml:"connection"`
	Layouts     []config.Layout     `toml:"layout"`
	Check       setting.Config      `toml:"check"`
	UI          session.Config      `toml:"ui"`
	Theme       kit.Theme           `toml:"theme"`
	Keys        map[string][]string `toml:"keys"`
}

// readConfig reads the file of --config, or else the user's own config, which may be missing. It never
// looks into the working directory.
func (f *flags) readConfig() (configFile, error) {
	data, err := f.configData()
	if err != nil {
		return configFile{}, err
	}
	return f.configOf(data)
}

// configOf parses the text of the config file.
func (f *flags) configOf(data []byte) (configFile, error) {
	c, err := parseConfig(data)
	if err != nil {
		return c, usage("reading the config "+f.configPath(), err.Error(),
			"correct the file; `tallylock config` prints an example")
	}
	c.locate(f.configPath(), data)
	return c, nil
}

// configData returns the text of the config file. It returns nil if there is no file and --config is not
// given.
func (f *flags) configData() ([]byte, error) {
	path := f.configPath()
	if info, err := os.Stat(path); err == nil && info.Mode()&(fs.ModeNamedPipe|fs.ModeSocket) != 0 {
		return nil, usage("reading the config "+path, "it is a pipe, and a config is a file", "name a file with --config")
	}
	data, err := os.ReadFile(path)
	switch {
	case errors.Is(err, fs.ErrNotExist) && f.config == "":
		return nil, nil
	case err != nil:
		return nil, usage("reading the config "+path, phrase.WithoutPath(err),
			"name another with --config; `tallylock config` prints an example")
	}
	return data, nil
}

// layoutReader returns a function that reads the config's layouts again. It parses the file only if it
// has changed, since a release of many locks calls it before each deletion.
func (f *flags) layoutReader() func() ([]config.Layout, error) {
	var mu sync.Mutex
	var last []byte
	var layouts []config.Layout
	return func() ([]config.Layout, error) {
		mu.Lock()
		defer mu.Unlock()
		data, err := f.configData()
		if err != nil || last != nil && bytes.Equal(data, last) {
			return layouts, err
		}
		c, err := f.configOf(data)
		if err != nil {
			return nil, err
		}
		last, layouts = data, c.Layouts
		return layouts, nil
	}
}

// configPath returns where the config file is, or would be.
func (f *flags) configPath() string {
	if f.config != "" {
		return f.config
	}
	return filepath.Join(xdg.ConfigHome, "tallylock", "config.toml")
}

// parseConfig parses and checks a config file. Its errors have the number of the line.
func parseConfig(data []byte) (configFile, error) {
	if !utf8.Valid(data) {
		return configFile{}, errors.New("it is not text in UTF-8: save it as UTF-8")
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

func decodeConfig(data []byte) (configFile, error) {
	var c configFile
	err := toml.NewDecoder(bytes.NewReader(unmarked(data))).DisallowUnknownFields().Decode(&c)
	return c, err
}

// unmarked removes the byte order mark that some editors write.
func unmarked(data []byte) []byte { return bytes.TrimPrefix(data, []byte("\ufeff")) }

// locate sets the Origin of each part of the layouts.
func (c configFile) locate(path string, data []byte) {
	lines := linesOf(data)
	for n := range c.Layouts {
		section := fmt.Sprintf("layout[%d]", n)
		c.Layouts[n].Locate(func(part string) layout.Origin {
			at := strings.TrimSuffix(section+"."+part, ".")
			return layout.Origin{File: path, Line: lines.at(at), Keys: lines.within(at)}
		})
	}
}

func (c configFile) check() error {
	if err := c.Settings.Check(); err != nil {
		return err
	}
	if err := config.Check(c.Layouts); err != nil {
		return err
	}
	if err := c.checkConnections(); err != nil {
		return err
	}
	_, err := keymap.FromConfig(c.Keys)
	return err
}

func (c configFile) checkConnections() error {
	layouts, err := c.layoutNames()
	if err != nil {
		return err
	}
	var names []string
	for n, conn := range c.Connections {
		at := fmt.Sprintf("connection[%d]", n)
		switch err := conn.Check(); {
		case conn.Name == "":
			return mistake.Errorf(at, "[[connection]] number %d has no name: --connection could not choose it", n+1)
		case slices.Contains(names, conn.Name):
			return mistake.Errorf(at+".name", "two connections are called %q", conn.Name)
		case err != nil:
			return mistake.At(at, fmt.Errorf("connection %s: %w", conn.Name, err))
		case conn.Layout != "" && !slices.Contains(layouts, conn.Layout):
			return mistake.Errorf(at+".layout", "connection %s: there is neither a layout nor a preset %q%s", conn.Name,
				conn.Layout, mistake.Meant(conn.Layout, layouts...))
		}
		names = append(names, conn.Name)
	}
	if c.DefaultConnection != "" && !slices.Contains(names, c.DefaultConnection) {
		return mistake.Errorf("default_connection", "default_connection: there is no connection %q%s", c.DefaultConnection,
			mistake.Meant(c.DefaultConnection, names...))
	}
	return nil
}

// layoutNames lists the layouts and presets that a connection can name.
func (c configFile) layoutNames() ([]string, error) {
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

// configCommand prints an example of the config file.
func configCommand(s *invocation) *cobra.Command {
	return &cobra.Command{
		Use:   "config",
		Short: "Print an example of the config file",
		Long: `Print an example of the config file, with every setting, its default and what it
does. The config is read from --config, or from tallylock/config.toml in your
config directory; never from the working directory.`,
		Example: "  mkdir -p ~/.config/tallylock\n  tallylock config > ~/.config/tallylock/config.toml",
		Args:    takesNothing,
		RunE: func(*cobra.Command, []string) error {
			if s.flags.set.Changed("output") && s.flags.output != asText {
				return usage("printing the example config with --output "+s.flags.output.String(),
					"it is TOML, and most of it is comments", "leave --output out")
			}
			_, err := fmt.Fprint(s.Out, s.Example)
			return err
		},
	}
}

// writeLayout adds a layout at the end of the config file. The old text stays byte for byte. The file is
// written whole, or not at all.
func (f *flags) writeLayout(l config.Layout, note func(section, setting string) string) error {
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

// appendLayout adds a layout to the text of a config. It makes sure that the new text reads back as the
// same layout and the same other settings.
func appendLayout(old []byte, l config.Layout, note func(section, setting string) string) ([]byte, error) {
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
		return slices.ContainsFunc(c.Layouts, func(one config.Layout) bool { return one.Name == name })
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
	if err != nil || !reflect.DeepEqual(config.Of(is), config.Of(meant)) {
		return nil, errors.New("the file would be read differently afterwards")
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

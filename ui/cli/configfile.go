package cli

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/adrg/xdg"
	"github.com/pelletier/go-toml/v2"

	"tallylock/dynamo/check"
	"tallylock/dynamo/client"
	"tallylock/dynamo/layout"
	"tallylock/dynamo/mistake"
	"tallylock/dynamo/phrase"
	"tallylock/keymap"
	"tallylock/ui/kit"
	"tallylock/ui/session"
)

// configFile is the config file: what the commands themselves are told at its
// top, and the sections of the other packages, each read by its own type.
type configFile struct {
	DefaultConnection string `toml:"default_connection"`
	Journal           string `toml:"journal"`
	client.Settings
	Connections []client.Config     `toml:"connection"`
	Layouts     []layout.Config     `toml:"layout"`
	Check       check.Config        `toml:"check"`
	UI          session.Config      `toml:"ui"`
	Theme       kit.Theme           `toml:"theme"`
	Keys        map[string][]string `toml:"keys"`
}

// readConfig reads the config file: the one that --config names, or the user's
// own, which need not exist. It never looks into the working directory.
func (f *flags) readConfig() (configFile, error) {
	path := f.configPath()
	if info, err := os.Stat(path); err == nil && info.Mode()&(fs.ModeNamedPipe|fs.ModeSocket) != 0 {
		return configFile{}, usage("reading the config "+path, "it is a pipe, and a config is a file", "name a file with --config")
	}
	data, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) && f.config == "" {
		return configFile{}, nil
	}
	if err != nil {
		return configFile{}, usage(
			"reading the config "+path,
			phrase.WithoutPath(err),
			"name another with --config; `tallylock config` prints an example",
		)
	}
	c, err := parseConfig(data)
	if err != nil {
		return c, usage("reading the config "+path, err.Error(), "correct the file; `tallylock config` prints an example")
	}
	c.locate(path, data)
	return c, nil
}

// configPath is where the config file is, or would be.
func (f *flags) configPath() string {
	if f.config != "" {
		return f.config
	}
	return filepath.Join(xdg.ConfigHome, "tallylock", "config.toml")
}

// parseConfig decodes a config file and checks what it says. Its errors name the
// line.
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

// unmarked is a text without the byte order mark that some editors put before it.
func unmarked(data []byte) []byte { return bytes.TrimPrefix(data, []byte("\ufeff")) }

// locate tells the layouts where in the file they stand.
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
	if err := layout.Check(c.Layouts); err != nil {
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

// layoutNames are those that a connection can name.
func (c configFile) layoutNames() ([]string, error) {
	presets, err := layout.Presets()
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

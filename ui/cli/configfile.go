package cli

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/adrg/xdg"
	"github.com/pelletier/go-toml/v2"

	"tallylock/dynamo"
	"tallylock/dynamo/check"
	"tallylock/dynamo/layout"
	"tallylock/keymap"
	"tallylock/ui"
)

// configFile is the config file: what the commands themselves are told at its
// top, and the sections of the other packages, each read by its own type.
type configFile struct {
	DefaultConnection string `toml:"default_connection"`
	Journal           string `toml:"journal"`
	dynamo.Settings
	Connections []dynamo.ConnectionConfig `toml:"connection"`
	Layouts     []layout.Config           `toml:"layout"`
	Check       check.Config              `toml:"check"`
	UI          ui.Config                 `toml:"ui"`
	Keys        map[string][]string       `toml:"keys"`
}

// configured reads the config file: the one that --config names, or the user's
// own, which need not exist. It never looks into the working directory.
func (s *session) configured() (configFile, error) {
	path := s.configPath()
	data, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) && s.flags.config == "" {
		return configFile{}, nil
	}
	if err != nil {
		return configFile{}, usage("reading the config "+path, reason(err), "name another with --config; `tallylock config` prints an example")
	}
	c, err := parseConfig(data)
	if err != nil {
		return c, usage("reading the config "+path, err.Error(), "correct the file; `tallylock config` prints an example")
	}
	return c, nil
}

// configPath is where the config file is, or would be.
func (s *session) configPath() string {
	if s.flags.config != "" {
		return s.flags.config
	}
	return filepath.Join(xdg.ConfigHome, "tallylock", "config.toml")
}

// parseConfig decodes a config file and checks what it says. Its errors name the
// line.
func parseConfig(data []byte) (configFile, error) {
	c, err := decodeConfig(data)
	if err == nil {
		return c, nil
	}
	if line, why, ok := placed(err); ok {
		return c, fmt.Errorf("line %d: %s", line, why)
	}
	return c, fmt.Errorf("line %d: %w", lineOf(data, err), err)
}

func decodeConfig(data []byte) (configFile, error) {
	var c configFile
	dec := toml.NewDecoder(bytes.NewReader(data)).DisallowUnknownFields()
	if err := dec.Decode(&c); err != nil {
		return c, err
	}
	return c, c.check()
}

// lineOf finds the line of an error that does not know its place: the first with
// which the file is wrong in this way.
func lineOf(data []byte, err error) int {
	end := 0
	for line := 1; ; line++ {
		n := bytes.IndexByte(data[end:], '\n')
		if n < 0 {
			return line
		}
		end += n + 1
		if _, early := decodeConfig(data[:end]); early != nil && early.Error() == err.Error() {
			return line
		}
	}
}

func (c configFile) check() error {
	if err := c.Settings.Check(); err != nil {
		return err
	}
	seen := map[string]bool{}
	for n, conn := range c.Connections {
		if conn.Name == "" {
			return fmt.Errorf("[[connection]] number %d has no name: --connection could not choose it", n+1)
		}
		if seen[conn.Name] {
			return fmt.Errorf("two connections are called %q", conn.Name)
		}
		seen[conn.Name] = true
		if err := conn.Check(); err != nil {
			return fmt.Errorf("connection %s: %w", conn.Name, err)
		}
	}
	if c.DefaultConnection != "" && !seen[c.DefaultConnection] {
		return fmt.Errorf("default_connection: there is no connection %q", c.DefaultConnection)
	}
	for _, l := range c.Layouts {
		if _, err := l.Build(); err != nil {
			return err
		}
	}
	_, err := keymap.FromConfig(c.Keys)
	return err
}

// placed is an error of the decoder in words, with its line.
func placed(err error) (line int, why string, ok bool) {
	if strict, ok := errors.AsType[*toml.StrictMissingError](err); ok {
		line, _ = strict.Errors[0].Position()
		return line, fmt.Sprintf("there is no setting %q", strings.Join(strict.Errors[0].Key(), ".")), true
	}
	e, ok := errors.AsType[*toml.DecodeError](err)
	if !ok {
		return 0, "", false
	}
	line, _ = e.Position()
	why = strings.TrimPrefix(e.Error(), "toml: ")
	// The decoder names the Go type that it was filling.
	if what, kind, found := strings.Cut(why, " into "); found && strings.HasPrefix(what, "cannot decode TOML ") {
		why = "it is a TOML " + strings.TrimPrefix(what, "cannot decode TOML ") + ", and has to be " + wanted(kind)
	}
	if key := strings.Join(e.Key(), "."); key != "" {
		why = key + ": " + why
	}
	return line, why, true
}

// wanted says what a setting has to be, by the Go type at the end of the
// decoder's words.
func wanted(kind string) string {
	switch {
	case strings.HasSuffix(kind, "bool"):
		return "true or false"
	case strings.HasSuffix(kind, "[]string"):
		return "a list of texts"
	case strings.HasSuffix(kind, "string"):
		return "a text in quotes"
	}
	return "of another kind"
}

// reason is an error of the file system without the path, which has been said.
func reason(err error) string {
	if e, ok := errors.AsType[*fs.PathError](err); ok {
		return e.Err.Error()
	}
	return err.Error()
}

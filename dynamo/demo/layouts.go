package demo

import (
	_ "embed"
	"fmt"

	"github.com/pelletier/go-toml/v2"

	"tallylock/dynamo/layout/config"
)

//go:embed layouts.toml
var configFile []byte

// Config returns a config file that describes the sample tables.
func Config() []byte { return configFile }

// Layouts returns the layouts that describe the sample tables.
func Layouts() []config.Layout {
	var file struct {
		Layouts []config.Layout `toml:"layout"`
	}
	if err := toml.Unmarshal(configFile, &file); err != nil {
		panic(fmt.Sprintf("the demo's layouts: %v", err)) // impossible: a test parses the file
	}
	return file.Layouts
}

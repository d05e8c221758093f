package check_test

import (
	"testing"

	"github.com/pelletier/go-toml/v2"

	"tallylock/dynamo/check"
)

// A flag wins over the config file, and what neither says is the default.
func TestConfig(t *testing.T) {
	decoded := func(text string) (c check.Config) {
		if err := toml.Unmarshal([]byte(text), &c); err != nil {
			t.Fatal(err)
		}
		return c
	}
	file := decoded("confirm = 'reads'\nlook = 'eventual'\nsegments = 7\nmax_read_units = 25.5\nmemory = '1GB'")
	flags := decoded("confirm = 'none'\nmemory = ' 64 mb '")
	for name, tc := range map[string]struct{ said, want check.Options }{
		"nothing":    {check.Config{}.Options(), check.Options{Confirm: check.ConfirmFull, Look: check.Strong, Memory: check.DefaultMemory}},
		"the file":   {file.Options(), check.Options{Confirm: check.ConfirmReads, Look: check.Eventual, Segments: 7, MaxReadUnits: 25.5, Memory: 1 << 30}},
		"flags, too": {flags.Over(file).Options(), check.Options{Confirm: check.ConfirmNone, Look: check.Eventual, Segments: 7, MaxReadUnits: 25.5, Memory: 64 << 20}},
	} {
		got := tc.said
		if want := tc.want; got.Confirm != want.Confirm || got.Look != want.Look || got.Segments != want.Segments || got.MaxReadUnits != want.MaxReadUnits || got.Memory != want.Memory {
			t.Errorf("%s: %+v; want %+v", name, got, want)
		}
	}
	for _, text := range []string{
		"confirm = 'surely'", "look = 'weak'", "segments = -1", "segments = 1000001", "segments = 'many'", "max_read_units = -2", "memory = 'much'", "memory = '0'", "memory = '2000000GB'",
	} {
		if err := toml.Unmarshal([]byte(text), &check.Config{}); err == nil {
			t.Errorf("%s is taken", text)
		}
	}
}

package check_test

import (
	"testing"

	"tallylock/dynamo/check/setting"

	"github.com/pelletier/go-toml/v2"
)

// A flag overrides the config file. Without either, the default applies.
func TestConfig(t *testing.T) {
	decoded := func(text string) (c setting.Config) {
		if err := toml.Unmarshal([]byte(text), &c); err != nil {
			t.Fatal(err)
		}
		return c
	}
	file := decoded("confirm = 'reads'\nlook = 'eventual'\nsegments = 7\nmax_read_units = 25.5\nmemory = '1GB'")
	flags := decoded("confirm = 'none'\nmemory = ' 128 mb '")
	for name, tc := range map[string]struct{ said, want setting.Options }{
		"nothing":    {setting.Config{}.Options(), setting.Options{Confirm: setting.ConfirmFull, Look: setting.Strong, Memory: setting.DataOf(setting.DefaultMemory)}},
		"the file":   {file.Options(), setting.Options{Confirm: setting.ConfirmReads, Look: setting.Eventual, Segments: 7, MaxReadUnits: 25.5, Memory: setting.DataOf(1 << 30)}},
		"flags, too": {flags.Over(file).Options(), setting.Options{Confirm: setting.ConfirmNone, Look: setting.Eventual, Segments: 7, MaxReadUnits: 25.5, Memory: setting.DataOf(128 << 20)}},
	} {
		got := tc.said
		if want := tc.want; got.Confirm != want.Confirm || got.Look != want.Look || got.Segments != want.Segments || got.MaxReadUnits != want.MaxReadUnits || got.Memory != want.Memory {
			t.Errorf("%s: %+v; want %+v", name, got, want)
		}
	}
	for _, text := range []string{
		"confirm = 'surely'", "look = 'weak'", "segments = -1", "segments = 1000001", "segments = 'many'", "max_read_units = -2", "memory = 'much'", "memory = '0'", "memory = '127MB'", "memory = '2000000GB'",
	} {
		if err := toml.Unmarshal([]byte(text), &setting.Config{}); err == nil {
			t.Errorf("%s is taken", text)
		}
	}
}

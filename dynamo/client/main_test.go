package client_test

import (
	"os"
	"strings"
	"testing"
)

// The tester's own AWS settings must not reach the tests.
func TestMain(m *testing.M) {
	for _, variable := range os.Environ() {
		if name, _, _ := strings.Cut(variable, "="); strings.HasPrefix(name, "AWS_") {
			_ = os.Unsetenv(name)
		}
	}
	for _, file := range []string{"AWS_CONFIG_FILE", "AWS_SHARED_CREDENTIALS_FILE"} {
		_ = os.Setenv(file, os.DevNull)
	}
	os.Exit(m.Run())
}

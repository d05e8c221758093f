package browse_test

import (
	"os"
	"testing"

	"tallylock/internal/testrun"
)

func TestMain(m *testing.M) {
	testrun.Isolate()
	os.Exit(m.Run())
}

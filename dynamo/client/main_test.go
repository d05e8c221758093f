package client_test

import (
	"os"
	"testing"

	"tallylock/internal/fault"
)

func TestMain(m *testing.M) {
	fault.Isolate()
	os.Exit(m.Run())
}

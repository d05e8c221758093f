package client_test

import (
	"os"
	"testing"

	"tallylock/dynamo/embedded/fault"
)

func TestMain(m *testing.M) {
	fault.Isolate()
	os.Exit(m.Run())
}

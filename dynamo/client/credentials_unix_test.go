//go:build unix

package client

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/config"
)

// A credential_process that never ends does not hold up the connection, even if its shell has started another process.
func TestAHangingCredentialProcessIsGivenUp(t *testing.T) {
	dir := t.TempDir()
	file, pipe := filepath.Join(dir, "config"), filepath.Join(dir, "pipe")
	if err := syscall.Mkfifo(pipe, 0o600); err != nil {
		t.Fatal(err)
	}
	text := "[profile slow]\nregion = eu-west-1\ncredential_process = cat " + pipe + "; true\n"
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	t.Setenv("AWS_ACCESS_KEY_ID", "")
	cfg, err := config.LoadDefaultConfig(t.Context(), config.WithSharedConfigProfile("slow"),
		config.WithSharedConfigFiles([]string{file}), config.WithSharedCredentialsFiles(nil))
	if err != nil {
		t.Fatal(err)
	}
	_, err = retrieve(t.Context(), cfg, 50*time.Millisecond)
	if KindOf(err) != NoCredentials || !strings.Contains(err.Error(), "credential_process") {
		t.Errorf("%v; want an error about the credential_process", err)
	}
	end, err := os.OpenFile(pipe, os.O_WRONLY, 0) // this ends the process
	if err != nil {
		t.Fatal(err)
	}
	end.Close()
}

// Package proof runs the SQL of a check on the engines that tests have: DuckDB, where the
// environment names a command that runs it; and it tells what of a check's findings they
// miss. It is for tests. .ci/sql sets both variables.
package proof

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// Wanted reports whether there is an engine.
func Wanted() bool { return os.Getenv("TALLYLOCK_TEST_DUCKDB") != "" }

// DuckDB runs statements in a directory.
func DuckDB(ctx context.Context, dir, text string) error {
	words := strings.Fields(os.Getenv("TALLYLOCK_TEST_DUCKDB"))
	cmd := exec.CommandContext(ctx, words[0], words[1:]...)
	var said bytes.Buffer
	cmd.Dir, cmd.Stdin, cmd.Stderr = dir, strings.NewReader(text), &said
	if err := cmd.Run(); err != nil {
		return fmt.Errorf("%w: %s\n%s", err, said.String(), text)
	}
	return nil
}

// Athena keeps statements for a parser, where somebody wants that: no engine runs them.
func Athena(text string) error {
	dir := os.Getenv("TALLYLOCK_TEST_ATHENA")
	if dir == "" {
		return nil
	}
	sum := sha256.Sum256([]byte(text))
	return os.WriteFile(filepath.Join(dir, hex.EncodeToString(sum[:8])+".sql"), []byte(text), 0o600)
}

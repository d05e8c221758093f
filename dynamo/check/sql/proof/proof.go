// Package proof runs the SQL of a check in tests, on DuckDB if the environment names a
// command that runs it, and finds what of a check's findings the SQL misses. .ci/sql sets
// both variables.
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

// Wanted reports whether the environment names an engine.
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

// Athena writes statements to files for a parser, if the environment asks for that: no engine
// runs them.
func Athena(text string) error {
	dir := os.Getenv("TALLYLOCK_TEST_ATHENA")
	if dir == "" {
		return nil
	}
	sum := sha256.Sum256([]byte(text))
	return os.WriteFile(filepath.Join(dir, hex.EncodeToString(sum[:8])+".sql"), []byte(text), 0o600)
}

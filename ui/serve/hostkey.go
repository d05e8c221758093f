package serve

import (
	"crypto/ed25519"
	"crypto/rand"
	"encoding/pem"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"golang.org/x/crypto/ssh"

	"tallylock/dynamo/client"
	"tallylock/dynamo/phrase"
)

// hostKey reads the server's host key. If the file does not exist, hostKey makes a new key. made reports whether the
// key is new.
func hostKey(path string) (signer ssh.Signer, made bool, err error) {
	fail := func(why, do string) (ssh.Signer, bool, error) {
		return nil, false, &client.Error{Kind: client.Usage, Op: "reading the host key " + path, Why: why, Do: do}
	}
	info, err := os.Lstat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		signer, err := makeHostKey(path)
		return signer, err == nil, err
	case err != nil:
		return fail(phrase.WithoutPath(err), "name another file with host_key in the config")
	}
	if why := unsafeFile(info); why != "" {
		return fail(why, "correct the file, or name another file with host_key in the config")
	}
	f, err := os.Open(path)
	if err != nil {
		return fail(phrase.WithoutPath(err), "name another file with host_key in the config")
	}
	defer f.Close()
	// Between Lstat and Open another file may have taken the name.
	if opened, err := f.Stat(); err != nil || !os.SameFile(info, opened) {
		return fail("the file has just changed", "start again")
	}
	text, err := io.ReadAll(io.LimitReader(f, 1<<16))
	if err != nil {
		return fail(phrase.WithoutPath(err), "name another file with host_key in the config")
	}
	signer, err = ssh.ParsePrivateKey(text)
	if err != nil || signer.PublicKey().Type() != ssh.KeyAlgoED25519 {
		return fail("the file must have an ed25519 key without a passphrase",
			"name a new file with host_key in the config: tallylock makes the key")
	}
	return signer, false, nil
}

// unsafeFile says why a file cannot hold a private key; empty if it can.
func unsafeFile(info fs.FileInfo) string {
	switch {
	case info.Mode()&fs.ModeSymlink != 0:
		return "the path is a symbolic link"
	case !info.Mode().IsRegular():
		return "this is not a file"
	case !ownFile(info):
		return "the file belongs to another user"
	case info.Mode().Perm()&0o077 != 0:
		return fmt.Sprintf("other users may use the file: its mode is %04o, and must be 0600", info.Mode().Perm())
	}
	return ""
}

// makeHostKey makes a host key, and writes it into a new file.
func makeHostKey(path string) (ssh.Signer, error) {
	_, key, err := ed25519.GenerateKey(rand.Reader)
	if err != nil {
		return nil, err
	}
	block, err := ssh.MarshalPrivateKey(key, "tallylock")
	if err != nil {
		return nil, err
	}
	if err := writeNew(path, pem.EncodeToMemory(block)); err != nil {
		return nil, &client.Error{
			Kind: client.Usage,
			Op:   "writing the host key " + path,
			Why:  phrase.WithoutPath(err),
			Do:   "name another file with host_key in the config",
			Err:  err,
		}
	}
	return ssh.NewSignerFromKey(key)
}

// writeNew writes a new file that only its owner may read. It removes the file again if it cannot write all of it.
func writeNew(path string, text []byte) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return err
	}
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	_, err = f.Write(text)
	if err == nil {
		err = f.Sync()
	}
	if err = errors.Join(err, f.Close()); err != nil {
		_ = os.Remove(path)
	}
	return err
}

package serve

import (
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"

	"tallylock/dynamo/client"
)

// CheckConfig returns an error if another user can change the config, because of the mode, the owner or the folder of
// the file: such a user could let anybody in. The owner may also be root. If os.Stat fails, CheckConfig returns nil:
// reading the config reports the error.
func CheckConfig(path string) error {
	if runtime.GOOS == "windows" { // on Windows, modes mean nothing
		return nil
	}
	info, err := os.Stat(path)
	if err != nil {
		return nil //nolint:nilerr // the reader of the config says why it cannot be read
	}
	fail := func(why, do string) error {
		return &client.Error{Kind: client.Usage, Op: "reading the config " + path, Why: why, Do: do}
	}
	switch {
	case info.Mode().Perm()&0o022 != 0:
		return fail("other users can change this file, and so let anybody in", "run: chmod go-w "+path)
	case !trusted(info):
		return fail("the file belongs to another user, who can let anybody in", "copy it into a file of your own")
	}
	real, err := filepath.EvalSymlinks(path)
	if err != nil {
		return fail("its folder cannot be read", "name another file with --config")
	}
	for _, dir := range slices.Compact(append(linkFolders(path), filepath.Dir(real))) {
		folder, err := os.Stat(dir)
		switch {
		case err != nil:
			return fail("its folder cannot be read", "name another file with --config")
		case !trusted(folder):
			return fail("the folder "+dir+" belongs to another user, who can replace the file", "move it into a folder of your own")
		case folder.Mode().Perm()&0o022 != 0 && folder.Mode()&fs.ModeSticky == 0 && !readOnly(dir):
			return fail("other users can replace files in the folder "+dir, "run: chmod go-w "+dir)
		}
	}
	return nil
}

// linkFolders returns the folder of the path, and the folder of each further link on the way to the file. The links
// must not form a loop.
func linkFolders(path string) (dirs []string) {
	for {
		dirs = append(dirs, filepath.Dir(path))
		target, err := os.Readlink(path)
		if err != nil {
			return dirs
		}
		if !filepath.IsAbs(target) {
			target = filepath.Join(filepath.Dir(path), target)
		}
		path = target
	}
}

//go:build unix

package ui

import (
	"bytes"
	"os"
	"os/exec"
	"syscall"
	"testing"
)

// TestStopHelper is not a test: TestAStopIsNoticed runs it as another process.
func TestStopHelper(t *testing.T) {
	if os.Getenv("TALLYLOCK_STOP") == "" {
		return
	}
	s := &stop{} // every stop lasts longer than it waits
	if err := s.Run(); err != nil || !s.stopped {
		t.Errorf("stopped is %v, the error is %v", s.stopped, err)
	}
}

// After a stop that is longer than the wait for it, the program knows that a shell stopped it.
func TestAStopIsNoticed(t *testing.T) {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	helper := exec.CommandContext(t.Context(), self, "-test.run=^TestStopHelper$")
	helper.Env = append(os.Environ(), "TALLYLOCK_STOP=1")
	helper.Stdout, helper.Stderr = &out, &out
	helper.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} // it stops its whole process group
	if err := helper.Start(); err != nil {
		t.Fatal(err)
	}
	var status syscall.WaitStatus
	if _, err := syscall.Wait4(helper.Process.Pid, &status, syscall.WUNTRACED, nil); err != nil || !status.Stopped() {
		t.Fatalf("the helper did not stop: %v, %v", status, err)
	}
	if err := syscall.Kill(helper.Process.Pid, syscall.SIGCONT); err != nil {
		t.Fatal(err)
	}
	if err := helper.Wait(); err != nil {
		t.Errorf("%v: %s", err, out.String())
	}
}

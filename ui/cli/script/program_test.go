package script

import (
	"errors"
	"os"
	"os/exec"
	"os/signal"
	"runtime"
	"strconv"
	"syscall"

	"github.com/rogpeppe/go-internal/testscript"
)

// exits is the command "exits STATUS ARGS…". It runs tallylock, which must end with this status.
func exits(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) == 0 {
		ts.Fatalf("usage: exits STATUS ARGS…")
	}
	got := 0
	if err := ts.Exec("tallylock", args[1:]...); err != nil {
		exit, ok := errors.AsType[*exec.ExitError](err)
		if !ok {
			ts.Fatalf("running tallylock: %v", err)
		}
		got = exit.ExitCode()
	}
	if want, err := strconv.Atoi(args[0]); err != nil || got != want {
		ts.Fatalf("exit status %d, want %s", got, args[0])
	}
	asDescribed(ts, args[1:], got, ts.ReadFile("stdout"))
}

// interrupted is the command "interrupted STATUS LOSE AFTER ARGS…". It runs tallylock, and sends an interrupt while
// tallylock waits for the answer to the first operation LOSE after an operation AFTER. With the status -1, it kills
// tallylock instead.
func interrupted(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 4 {
		ts.Fatalf("usage: interrupted STATUS LOSE AFTER ARGS…")
	}
	if args[0] == "-1" {
		endedBy(ts, os.Kill, args)
		return
	}
	endedBy(ts, os.Interrupt, args)
}

// signalled is the command "signalled SIGNAL STATUS LOSE AFTER ARGS…". It works like interrupted, with another signal.
func signalled(ts *testscript.TestScript, neg bool, args []string) {
	signals := map[string]os.Signal{"hup": syscall.SIGHUP, "quit": syscall.SIGQUIT, "term": syscall.SIGTERM}
	if neg || len(args) < 5 || signals[args[0]] == nil {
		ts.Fatalf("usage: signalled hup|quit|term STATUS LOSE AFTER ARGS…")
	}
	// If the tests run under nohup, tallylock must not inherit the ignored signal. Notify ends that.
	heard := make(chan os.Signal, 1)
	signal.Notify(heard, signals[args[0]])
	defer signal.Stop(heard)
	endedBy(ts, signals[args[0]], args[1:])
}

// unread is the command "unread STATUS ARGS…". It runs tallylock with a standard output that nobody reads any more.
func unread(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: unread STATUS ARGS…")
	}
	reader, writer, err := os.Pipe()
	ts.Check(err)
	ts.Check(reader.Close())
	defer writer.Close()
	cmd := program(ts, args[1:])
	cmd.Stdout = writer
	_ = cmd.Run() // the exit status shows the result
	if got := strconv.Itoa(cmd.ProcessState.ExitCode()); got != args[0] {
		ts.Fatalf("exit status %s, want %s", got, args[0])
	}
}

// program returns a command that runs tallylock in the environment of a script.
func program(ts *testscript.TestScript, args []string) *exec.Cmd {
	cmd := exec.Command("tallylock", args...)
	cmd.Dir, cmd.Stdout, cmd.Stderr = ts.MkAbs("."), ts.Stdout(), ts.Stderr()
	for name, value := range Isolated(ts.Getenv("WORK")) {
		cmd.Env = append(cmd.Env, name+"="+value)
	}
	cmd.Env = append(cmd.Env, "AWS_ENDPOINT_URL_DYNAMODB="+ts.Getenv("ENDPOINT"),
		"AWS_ENDPOINT_URL_S3="+ts.Getenv("AWS_ENDPOINT_URL_S3"))
	return cmd
}

// endedBy works like interrupted, with any signal.
func endedBy(ts *testscript.TestScript, signal os.Signal, args []string) {
	net := ts.Value(network{}).(*network)
	net.mu.Lock()
	net.lose, net.after = args[1], args[2]
	net.mu.Unlock()
	cmd := program(ts, args[3:])
	ts.Check(cmd.Start())
	ended := make(chan struct{})
	go func() {
		_ = cmd.Wait() // the exit status shows the result
		close(ended)
	}()
	select {
	case <-net.arrived:
		ts.Check(cmd.Process.Signal(signal))
		for signal == syscall.SIGHUP { // the shell and the kernel both send SIGHUP
			if cmd.Process.Signal(signal) != nil {
				break
			}
			runtime.Gosched()
		}
		<-ended
	case <-ended:
		ts.Fatalf("it ended before it could be interrupted: %s", cmd.ProcessState)
	}
	if got := strconv.Itoa(cmd.ProcessState.ExitCode()); got != args[0] {
		ts.Fatalf("exit status %s, want %s", got, args[0])
	}
}

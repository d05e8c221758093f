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

// exits STATUS ARGS… runs tallylock, which has to end with that status.
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

// interrupted STATUS LOSE AFTER ARGS… runs tallylock and presses ctrl+c while it
// waits for the answer to LOSE, the first after an AFTER. With the status -1 it is
// killed instead.
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

// signalled SIGNAL STATUS LOSE AFTER ARGS… is interrupted by another signal.
func signalled(ts *testscript.TestScript, neg bool, args []string) {
	signals := map[string]os.Signal{"hup": syscall.SIGHUP, "quit": syscall.SIGQUIT, "term": syscall.SIGTERM}
	if neg || len(args) < 5 || signals[args[0]] == nil {
		ts.Fatalf("usage: signalled hup|quit|term STATUS LOSE AFTER ARGS…")
	}
	// Where the tests were started by nohup, the program is not to be: it would inherit that.
	heard := make(chan os.Signal, 1)
	signal.Notify(heard, signals[args[0]])
	defer signal.Stop(heard)
	endedBy(ts, signals[args[0]], args[1:])
}

// unread STATUS ARGS… runs tallylock with a standard output that nobody reads any more.
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
	_ = cmd.Run() // its status tells
	if got := strconv.Itoa(cmd.ProcessState.ExitCode()); got != args[0] {
		ts.Fatalf("exit status %s, want %s", got, args[0])
	}
}

// program is tallylock with the environment of a script.
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

// endedBy STATUS LOSE AFTER ARGS… is what interrupted does, with any signal.
func endedBy(ts *testscript.TestScript, signal os.Signal, args []string) {
	net := ts.Value(network{}).(*network)
	net.mu.Lock()
	net.lose, net.after = args[1], args[2]
	net.mu.Unlock()
	cmd := program(ts, args[3:])
	ts.Check(cmd.Start())
	ended := make(chan struct{})
	go func() {
		_ = cmd.Wait() // its status tells
		close(ended)
	}()
	select {
	case <-net.arrived:
		ts.Check(cmd.Process.Signal(signal))
		for signal == syscall.SIGHUP { // the shell sends one, and the kernel another
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

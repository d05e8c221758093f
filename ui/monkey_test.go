package ui_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/charmbracelet/x/ansi"

	tea "charm.land/bubbletea/v2"

	"tallylock/dynamo"
	"tallylock/dynamo/embedded/sdk"
	"tallylock/internal/testrun"
	"tallylock/keymap"
	"tallylock/ui"
	"tallylock/ui/session"
)

// TestAnythingIsPressed sends random keys, clicks, pastes and window sizes, while an application writes and the
// endpoint fails at times. The program must not panic, each screen must fit its window, and results of tasks must not
// move the cursor. Without a confirmation, it must send no write. At the end, ctrl+c must quit.
func TestAnythingIsPressed(t *testing.T) {
	t.Parallel()
	events, accounts := testrun.Runs(50_000, 2_000), testrun.Runs(20_000, 200) // with locks, these are 60,000 items
	for seed := range uint64(2) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			t.Parallel()
			f := &faults{}
			w := &writes{}
			s := alone(t, withFaults(f), w.counted)
			s.withAccounts(t, accounts)
			other := s.demo.Options()
			other.Name = "other"
			there := &writes{}
			there.counted(&other)
			s.options.Connections = append(s.options.Connections, session.Connection{
				Called: other.Name, Production: true, Changer: s.options.Connections[0].Changer,
				Dial: func(ctx context.Context) (*dynamo.Connection, error) { return dynamo.Connect(ctx, other) },
			})
			ctx, stop := context.WithCancel(t.Context())
			ended := make(chan struct{})
			go func() { defer close(ended); s.demo.Traffic(ctx) }()
			defer func() { stop(); <-ended }()
			m, err := ui.New(ctx, s.options)
			if err != nil {
				t.Fatal(err)
			}
			k := &monkey{t: t, rand: rand.New(rand.NewPCG(seed, 7)), model: m, faults: f, inbox: make(chan tea.Msg, 1024)}
			k.send(tea.WindowSizeMsg{Width: 80, Height: 24})
			k.run(m.Init())
			for range events {
				k.act()
			}
			k.leave()
			m.Close()
			if n := w.n.Load() + there.n.Load(); n > 0 {
				t.Errorf("%d requests that write were sent, and nobody agreed to one", n)
			}
		})
	}
}

// withAccounts adds accounts with their locks to the demo's table.
func (s *setup) withAccounts(t *testing.T, accounts int) {
	t.Helper()
	var puts []types.WriteRequest
	put := func(item document) {
		if puts = append(puts, types.WriteRequest{PutRequest: &types.PutRequest{Item: item}}); len(puts) < 25 {
			return
		}
		if _, err := s.demo.App().BatchWriteItem(t.Context(), &dynamodb.BatchWriteItemInput{RequestItems: map[string][]types.WriteRequest{"accounts": puts}}); err != nil {
			t.Fatal(err)
		}
		puts = nil
	}
	for n := range accounts {
		name := fmt.Sprintf("more%05d", n)
		put(document{"PK": sdk.S("ACCT#" + name), "SK": sdk.S("PROFILE"), "username": sdk.S(name), "email": sdk.S(name + "@x.test")})
		put(document{"PK": sdk.S("UNIQ#HANDLE#" + name), "SK": sdk.S("LOCK")})
		put(document{"PK": sdk.S("UNIQ#EMAIL#" + name + "@x.test"), "SK": sdk.S("LOCK")})
	}
}

// writes counts the requests of the program that write.
type writes struct {
	next http.RoundTripper
	n    atomic.Int64
}

func (w *writes) counted(o *dynamo.Options) { w.next, o.Transport = o.Transport, w }

func (w *writes) RoundTrip(r *http.Request) (*http.Response, error) {
	switch _, op, _ := strings.Cut(r.Header.Get("X-Amz-Target"), "."); op {
	case "TransactWriteItems", "PutItem", "UpdateItem", "DeleteItem", "BatchWriteItem":
		w.n.Add(1)
	}
	return w.next.RoundTrip(r)
}

// monkey sends random events. It has its own event loop, so that it can check the model after each event.
type monkey struct {
	t      *testing.T
	rand   *rand.Rand
	model  ui.Model
	faults *faults
	inbox  chan tea.Msg // the messages of commands
	w, h   int
	quit   bool
	last   string // the last events, for the report
}

// run starts a command. The command's message goes to the inbox.
func (k *monkey) run(cmd tea.Cmd) {
	if cmd == nil {
		return
	}
	go func() {
		select {
		case k.inbox <- cmd():
		case <-k.t.Context().Done():
		}
	}()
}

func (k *monkey) send(msg tea.Msg) {
	switch msg := msg.(type) {
	case nil:
		return
	case tea.BatchMsg:
		for _, cmd := range msg {
			k.run(cmd)
		}
		return
	case tea.QuitMsg:
		k.quit = true
		return
	case tea.WindowSizeMsg:
		k.w, k.h = msg.Width, msg.Height
	}
	_, cmd := k.model.Update(msg)
	k.run(cmd)
}

// arrive handles the messages in the inbox, and fails if one of them moves the cursor to another row. The selected row
// may disappear. The row of an item may become the row of its value.
func (k *monkey) arrive() {
	for {
		select {
		case msg := <-k.inbox:
			table, asked := k.model.OpenTable(), k.model.Asks()
			screen, before, mayGo := k.model.Selected()
			k.send(msg)
			now, after, _ := k.model.Selected()
			if now == screen && !mayGo && k.model.OpenTable() == table && asked == k.model.Asks() && before != "" && after != "" && !strings.Contains(after, before) {
				k.t.Fatalf("%T came, and the cursor went from %q to %q; before: %s", msg, before, after, k.last)
			}
		default:
			return
		}
	}
}

func (k *monkey) act() {
	k.arrive()
	msg := k.event()
	k.last = fmt.Sprintf("%.300s", fmt.Sprintf("%v %s", msg, k.last))
	k.send(msg)
	if k.rand.IntN(8) == 0 {
		k.look()
	}
}

// look draws the screen, and fails if the drawing is larger than the window.
func (k *monkey) look() {
	lines := strings.Split(k.model.View().Content, "\n")
	if len(lines) > k.h {
		k.t.Fatalf("%d lines in a window of %d; before: %s", len(lines), k.h, k.last)
	}
	for _, line := range lines {
		if w := ansi.StringWidth(line); w > k.w {
			k.t.Fatalf("%d cells in a window of %d: %q; before: %s", w, k.w, ansi.Strip(line), k.last)
		}
	}
}

// event makes a random event of a person or the endpoint. It never confirms a change.
func (k *monkey) event() tea.Msg {
	switch n := k.rand.IntN(100); {
	case n < 2:
		return tea.WindowSizeMsg{Width: 1 + k.rand.IntN(220), Height: 1 + k.rand.IntN(70)}
	case n < 5:
		return tea.MouseWheelMsg{X: k.rand.IntN(k.w), Y: k.rand.IntN(k.h), Button: []tea.MouseButton{tea.MouseWheelUp, tea.MouseWheelDown}[k.rand.IntN(2)]}
	case n < 10 && !k.model.Asks(): // in a dialog, a click might press Yes
		return tea.MouseClickMsg{X: k.rand.IntN(k.w), Y: k.rand.IntN(k.h), Button: tea.MouseLeft}
	case n < 12:
		return tea.PasteMsg{Content: []string{"alan", "\x1b[2J\u202e", "a\nb", strings.Repeat("é", 3000), ""}[k.rand.IntN(5)]}
	case n < 13:
		down, denied := k.rand.IntN(3) == 0, k.rand.IntN(3) == 0
		k.faults.set(func(f *faults) {
			f.down = down
			f.deny = map[string]bool{"Query": denied, "TransactGetItems": denied}
		})
		return nil
	case n < 25:
		return k.key([]string{"enter", "esc", "tab", "shift+tab", "space", "up", "down", "left", "right", "backspace"}[k.rand.IntN(10)])
	case n < 60:
		return k.key(string(rune('!' + k.rand.IntN('~'-'!'+1))))
	}
	infos := keymap.Actions()
	keys := infos[k.rand.IntN(len(infos))].Keys
	return k.key(keys[k.rand.IntN(len(keys))])
}

// key returns the message of a key. In a dialog, it replaces enter by esc, because enter might confirm a change.
func (k *monkey) key(name string) tea.Msg {
	if name == "enter" && k.model.Asks() {
		name = "esc"
	}
	press, ok := keymap.Pressed(name)
	if !ok {
		k.t.Fatalf("no key %q", name)
	}
	return press
}

// leave presses ctrl+c until the program ends.
func (k *monkey) leave() {
	for n := 0; !k.quit; n++ {
		if n == 1000 {
			k.t.Fatalf("ctrl+c does not lead out; the screen:\n%s", ansi.Strip(k.model.View().Content))
		}
		press, _ := keymap.Pressed(keymap.Interrupt)
		k.send(press)
		k.send(<-k.inbox) // the message that quits also comes from the inbox
		k.arrive()
	}
}

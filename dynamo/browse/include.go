package browse

import (
	"context"

	"tallylock/dynamo/attr"
	"tallylock/dynamo/client"
	"tallylock/dynamo/schema"
)

// include holds the items that a Browser reads before their pages, by schema.LockID.
type include struct {
	wanted map[string]client.Address // items that no page has brought so far
	taken  map[string]bool           // items that Include has read, and that pages must not add again
}

// Include makes Next read the items at these addresses together with the next page, in one batch. Their rows come
// after the rows of that page. Next reads nothing for items of that page, or if it reads the rest of the table anyway.
func (b *Browser) Include(at []client.Address) {
	b.include = include{wanted: map[string]client.Address{}, taken: map[string]bool{}}
	for _, a := range at {
		b.include.wanted[schema.LockID(a.Table, a.Key)] = a
	}
}

// tookAhead reports whether Include has already read an item of a page. If not, the page brings the item, so Include
// does not have to read it.
func (b *Browser) tookAhead(table string, key attr.Key) bool {
	i := &b.include
	if len(i.wanted)+len(i.taken) == 0 {
		return false
	}
	id := schema.LockID(table, key)
	delete(i.wanted, id)
	if !i.taken[id] {
		return false
	}
	b.view.Ahead--
	return true
}

// readWanted reads the items of Include that no page has had so far.
func (b *Browser) readWanted(ctx context.Context) error {
	if len(b.include.wanted) == 0 || b.page.ended() || b.ReadOn() {
		return nil
	}
	keys := map[string][]attr.Key{}
	for _, a := range b.include.wanted {
		keys[a.Table] = append(keys[a.Table], a.Key)
	}
	found, err := b.r.GetTables(ctx, keys, true)
	if err != nil {
		return err
	}
	b.values.looked = false
	for id, a := range b.include.wanted {
		if item := found[a.Table][a.Key.ID()]; item != nil {
			b.take(a.Table, item)
			b.include.taken[id] = true
			b.view.Ahead++
		}
	}
	b.include.wanted = nil
	return nil
}

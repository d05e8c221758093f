package change

import (
	"context"
	"time"
)

// breathe lets as much time pass as write units take at MaxWriteUnits a second.
func (c *Changer) breathe(ctx context.Context, units float64) {
	if c.MaxWriteUnits > 0 && units > 0 {
		sleep(ctx, time.Duration(units/c.MaxWriteUnits*float64(time.Second)))
	}
}

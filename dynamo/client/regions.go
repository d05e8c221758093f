package client

import (
	"slices"
	"strings"
	"sync"

	"tallylock/dynamo/attr"
)

// UpdateRegion is the attribute in which a global table of version 2017 records the Region of an item's
// last change. Items keep this attribute even after the last replica of the table is gone.
const UpdateRegion = "aws:rep:updateregion"

// updateRegions maps the name of a table to the values of UpdateRegion in the items read so far.
type updateRegions struct {
	mu  sync.RWMutex
	all map[string][]string
}

// SawUpdateRegion records the UpdateRegion of an item.
func (c *Client) SawUpdateRegion(table, region string) {
	if slices.Contains(c.UpdateRegions(table), region) {
		return
	}
	c.regions.mu.Lock()
	defer c.regions.mu.Unlock()
	if c.regions.all == nil {
		c.regions.all = map[string][]string{}
	}
	if all := c.regions.all[table]; !slices.Contains(all, region) {
		c.regions.all[table] = append(slices.Clip(all), strings.Clone(region))
	}
}

// UpdateRegions returns the values of UpdateRegion in the items of a table that were read so far.
func (c *Client) UpdateRegions(table string) []string {
	c.regions.mu.RLock()
	defer c.regions.mu.RUnlock()
	return c.regions.all[table]
}

// sawItem records the UpdateRegion of an item, if it has one, and returns the item.
func (c *Client) sawItem(table string, item attr.Item) attr.Item {
	if region, replicated := item[UpdateRegion]; replicated {
		c.SawUpdateRegion(table, region.Text)
	}
	return item
}

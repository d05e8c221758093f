package client

import (
	"slices"
	"strings"
	"sync"

	"tallylock/dynamo/attr"
)

// UpdateRegion is the attribute by which a global table of 2017 says in which Region an item was
// changed last. Items keep it after the last replica is gone.
const UpdateRegion = "aws:rep:updateregion"

// updateRegions are the Regions that items name as UpdateRegion, by table.
type updateRegions struct {
	mu  sync.RWMutex
	all map[string][]string
}

// SawUpdateRegion records that an item of a table names a Region as UpdateRegion.
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

// UpdateRegions are the Regions that items of a table name as UpdateRegion, of the items that were
// read.
func (c *Client) UpdateRegions(table string) []string {
	c.regions.mu.RLock()
	defer c.regions.mu.RUnlock()
	return c.regions.all[table]
}

// sawItem records what an item of a table says of the table.
func (c *Client) sawItem(table string, item attr.Item) attr.Item {
	if region, replicated := item[UpdateRegion]; replicated {
		c.SawUpdateRegion(table, region.Text)
	}
	return item
}

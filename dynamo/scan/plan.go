package scan

import (
	"math"

	"tallylock/dynamo/client"
)

// PaceOf is how many read units a second a scan of the table may consume unless
// somebody says otherwise: half of its capacity, so that the application keeps
// the other half. It is 0, which is without bounds, where the endpoint names no
// capacity.
func PaceOf(d client.Description) float64 { return d.ReadCapacity() / 2 }

// RateOf is PaceOf where nobody says otherwise, as a MaxReadUnits of 0 does.
func RateOf(d client.Description, most float64) float64 {
	if most == 0 {
		return PaceOf(d)
	}
	return most
}

// What a read unit pays for, and how much of a table a page holds.
const (
	unitBytes = 4096
	pageBytes = 1 << 20
)

// bytesPerUnit is how many bytes of a table one read unit reads.
func bytesPerUnit(consistent bool) float64 {
	if consistent {
		return unitBytes
	}
	return 2 * unitBytes
}

// segmentBytes is how much of a table one segment should hold. Many small ones
// keep all workers busy to the end and make the order random; each costs a
// request of its own at least.
const segmentBytes = 64 << 20

// SegmentsOf is into how many segments a scan of the table is divided unless
// somebody says otherwise: by its size, which is an estimate, and at least four
// to each partition that its capacity implies.
func SegmentsOf(d client.Description) int {
	partitions := math.Ceil(d.ReadCapacity() / partitionUnits)
	return int(min(max(math.Ceil(float64(d.Bytes)/segmentBytes), 4*partitions, 4), mostSegments))
}

const (
	partitionUnits = 3000 // read units a second that one partition gives at most
	mostSegments   = 100_000
)

// WorkersFor is how many requests are on their way at once: as many as it takes
// to keep the pace where a page takes a fifth of a second to come.
func WorkersFor(o Options) int {
	workers := 16
	if o.MaxReadUnits > 0 {
		pages := o.MaxReadUnits * bytesPerUnit(o.Consistent) / pageBytes // a second
		workers = int(min(math.Ceil(pages/5)+1, client.MostAtOnce))
	}
	return max(min(workers, o.Segments), 1)
}

// Fill puts the defaults in.
func (o *Options) Fill(d client.Description) {
	o.MaxReadUnits = RateOf(d, o.MaxReadUnits)
	if o.Segments <= 0 {
		o.Segments = SegmentsOf(d)
	}
	if o.Workers <= 0 {
		o.Workers = WorkersFor(*o)
	}
	if o.Progress == nil {
		o.Progress = new(Progress)
	}
}

// expected is how many read units a page will cost, as far as can be told before
// the first.
func expected(d client.Description, o Options) float64 {
	size := float64(pageBytes)
	if d.Bytes > 0 {
		size = min(size, float64(d.Bytes)/float64(o.Segments))
	}
	return max(size/bytesPerUnit(o.Consistent), 0.5)
}

// Units is about how many read units one reading of a table in that many segments takes; 0:
// SegmentsOf. Every page is rounded up, by half a unit or a whole one.
func Units(d client.Description, segments int, consistent bool) float64 {
	each := bytesPerUnit(consistent)
	if segments <= 0 {
		segments = SegmentsOf(d)
	}
	pages := float64(segments) + float64(d.Bytes)/pageBytes
	return math.Ceil(float64(d.Bytes)/each + pages*unitBytes/each)
}

package scan

import (
	"math"

	"tallylock/dynamo/client"
)

// PaceOf returns how many read units a second a scan of the table may consume by default:
// half of its capacity, so that the application keeps the other half; 0 for unlimited, if the
// endpoint does not tell the capacity.
func PaceOf(d client.Description) float64 { return d.ReadCapacity() / 2 }

// RateOf returns the read units a second for an Options.MaxReadUnits: PaceOf if that is 0.
func RateOf(d client.Description, most float64) float64 {
	if most == 0 {
		return PaceOf(d)
	}
	return most
}

// How many bytes a read unit pays for, and how many a page holds.
const (
	pageBytes = 1 << 20
)

// bytesPerUnit is how many bytes of a table one read unit reads.
func bytesPerUnit(consistent bool) float64 {
	if consistent {
		return client.UnitBytes
	}
	return 2 * client.UnitBytes
}

// segmentBytes is about how much of a table is in one segment. Many small segments keep all
// workers busy to the end and make the order random; each costs at least one request.
const segmentBytes = 64 << 20

// SegmentsOf returns how many segments a scan of the table has by default: by the table's
// size, which is an estimate, and at least four for each partition that its capacity implies.
func SegmentsOf(d client.Description) int {
	partitions := math.Ceil(d.ReadCapacity() / partitionUnits)
	return int(min(max(math.Ceil(float64(d.Bytes)/segmentBytes), 4*partitions, 4), mostSegments))
}

const (
	partitionUnits = 3000 // read units a second that one partition gives at most
	mostSegments   = 100_000
)

// WorkersFor returns how many requests are in flight at once: as many as keep the pace if a
// page takes a fifth of a second.
func WorkersFor(o Options) int {
	workers := 16
	if o.MaxReadUnits > 0 {
		pages := o.MaxReadUnits * bytesPerUnit(o.Consistent) / pageBytes // a second
		workers = int(min(math.Ceil(pages/5)+1, client.MostAtOnce))
	}
	return max(min(workers, o.Segments), 1)
}

// Fill sets the options that are zero to their defaults.
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

// expected returns how many read units a page will cost, as far as is known before the first
// one.
func expected(d client.Description, o Options) float64 {
	size := float64(pageBytes)
	if d.Bytes > 0 {
		size = min(size, float64(d.Bytes)/float64(o.Segments))
	}
	return max(size/bytesPerUnit(o.Consistent), 0.5)
}

// Units returns about how many read units one reading of a table in that many segments takes,
// or in SegmentsOf if that is 0. Every page is rounded up, by half a unit or a whole one.
func Units(d client.Description, segments int, consistent bool) float64 {
	each := bytesPerUnit(consistent)
	if segments <= 0 {
		segments = SegmentsOf(d)
	}
	pages := float64(segments) + float64(d.Bytes)/pageBytes
	return math.Ceil(float64(d.Bytes)/each + pages*client.UnitBytes/each)
}

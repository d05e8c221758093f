package check

import (
	"math"
	"strconv"

	"tallylock/dynamo/phrase"
)

// partition is a part of all locks' keys, with the accounts that claim them: what a
// check keeps to where more is wrong than memory holds. The zero partition is all of
// them. It is chosen by a keyed hash of the key in which all spellings of a value are one:
// what belongs together, or would if it were spelt alike, is in one partition.
type partition struct{ below uint64 }

// partitionOf is a partition of about that fraction of all keys.
func partitionOf(fraction float64) partition {
	if fraction >= 1 {
		return partition{}
	}
	return partition{max(uint64(fraction*math.MaxUint64), 1)}
}

// fullness is how full memory is to be: how much is left over is known about, and not
// more.
const fullness = 0.9

func (p partition) all() bool { return p.below == 0 }

func (p partition) has(hash uint64) bool { return p.all() || hash < p.below }

// fraction is how much of all keys it is, above 0 and at most 1.
func (p partition) fraction() float64 {
	if p.all() {
		return 1
	}
	return float64(p.below) / math.MaxUint64
}

// scaled is about how many there are of all keys where the partition has so many.
func (p partition) scaled(n int) int { return int(float64(n) / p.fraction()) }

// about is said before a number that was scaled.
func (p partition) about() string {
	if p.all() {
		return ""
	}
	return "about "
}

// inPartition reports whether the key that has just been written is of the pass's
// partition.
func (v *visitor) inPartition() bool {
	if v.p.part.all() {
		return true
	}
	v.folded = v.p.r.codec.appendFolded(v.folded[:0], string(v.key))
	return v.p.part.has(v.p.r.seed.Hash(v.folded))
}

// partly says that only a part of what is wrong was followed up, and about how much
// there is of each kind.
func (r *run) partly() {
	if r.part.all() {
		return
	}
	said := ""
	for _, kind := range Kinds() {
		if n := r.summary.Findings[kind]; n > 0 && kind.ofLocks() {
			said += ", about " + phrase.Number(r.part.scaled(n)) + " " + string(kind)
		}
	}
	r.lacks("about %s values do not fit together%s, and about %s in a hundred of them were looked into: give the check --memory %s to look into all",
		phrase.Number(r.load), said, strconv.Itoa(max(int(100*r.part.fraction()), 1)), size(memoryFor(r.load*5/4)))
}

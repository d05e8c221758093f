package check

import (
	"math"
	"strconv"

	"tallylock/dynamo/phrase"
)

// partition is a part of all locks' keys, with the accounts that claim them: what a check is
// restricted to if more is wrong than memory holds. The zero partition is all keys. It is
// chosen by a keyed hash of the folded key, so that all spellings of a value are in one
// partition.
type partition struct{ below uint64 }

// partitionOf returns a partition with about that fraction of all keys.
func partitionOf(fraction float64) partition {
	if fraction >= 1 {
		return partition{}
	}
	return partition{max(uint64(fraction*math.MaxUint64), 1)}
}

// fullness is how full memory should be: how much is left over is only estimated.
const fullness = 0.9

func (p partition) all() bool { return p.below == 0 }

func (p partition) has(hash uint64) bool { return p.all() || hash < p.below }

// fraction returns how much of all keys it is, above 0 and at most 1.
func (p partition) fraction() float64 {
	if p.all() {
		return 1
	}
	return float64(p.below) / math.MaxUint64
}

// scaled returns about how many there are among all keys if the partition has n.
func (p partition) scaled(n int) int { return int(float64(n) / p.fraction()) }

// about returns the word before a number that was scaled.
func (p partition) about() string {
	if p.all() {
		return ""
	}
	return "about "
}

// inPartition reports whether the key in v.key is in the pass's partition.
func (v *visitor) inPartition() bool {
	if v.pass.partition.all() {
		return true
	}
	v.foldedKey = v.run.codec.appendFolded(v.foldedKey[:0], string(v.key))
	return v.pass.partition.has(v.run.seed.Hash(v.foldedKey))
}

// notePartition notes that only a part of what is wrong was followed up, and about how much
// of each kind there is.
func (r *run) notePartition() {
	if r.partition.all() {
		return
	}
	said := ""
	for _, kind := range Kinds() {
		if n := r.report.summary.Findings[kind]; n > 0 && kind.ofLocks() {
			said += ", about " + phrase.Number(r.partition.scaled(n)) + " " + string(kind)
		}
	}
	r.report.incomplete(
		"about %s values do not fit together%s, and about %s in a hundred of them were looked into: give the check --memory %s to look into all",
		phrase.Number(r.load), said, strconv.Itoa(max(int(100*r.partition.fraction()), 1)), size(memoryFor(r.load*5/4)),
	)
}

package check

import (
	"context"
	"fmt"
	"math"
	"time"

	"tallylock/dynamo/phrase"
)

// Rounds is what a check takes that has more to tell apart than fits into its memory:
// it reads the tables anew for each share of the values, and looks at what that share
// leaves over.
type Rounds struct {
	// Values is about how many values do not fit together; where it is not Sure there
	// may be any number more.
	Values int
	Sure   bool
	// Rounds is how many there will be, Units the read units that all of them take, and
	// Time how long, all of it by what the first reading has taken; Memory is with how
	// many bytes there would be none.
	Rounds int
	Units  float64
	Time   time.Duration
	Memory int64
}

// String says it in a sentence, without its end.
func (r Rounds) String() string {
	about, least := "About", ""
	if !r.Sure {
		about, least = "More than", "at least "
	}
	return fmt.Sprintf("%s %s values do not fit together, which is more than the memory holds: telling them apart takes %s%s more rounds of reading the table",
		about, phrase.Group(fmt.Sprint(r.Values)), least, phrase.Group(fmt.Sprint(r.Rounds)))
}

// fullness is how full a share is to be: what is left over is known about, and not more.
const fullness = 0.85

// leastShare is the least share that is tried: what does not fit then are spellings of
// one value, and no smaller share would tell them apart.
const leastShare = 1.0 / (1 << 16)

// inRounds compares locks and accounts one share of their keys after the other: each
// is read, and followed up, as a table with less wrong would be.
func (c *checker) inRounds(ctx context.Context, left load) error {
	z := sizesFor(c.o.Memory, math.MaxInt64/2)
	z.cells, z.copies = z.most, 1
	var done share
	found, failed := 0, 0
	for round, agreed := 1, 0; ; {
		fraction := min(fullness*float64(z.suspects)/float64(left.keys), 0.5)
		now, more := done.next(fraction)
		if !more {
			return nil
		}
		rounds := round - 1 + int(math.Ceil((1-done.end())/fraction))
		if rounds > 2*agreed {
			agreed = rounds
			if err := c.furtherRounds(left, rounds); err != nil {
				return err
			}
		}
		c.inRound(round, rounds)
		p := c.comparing(z, now)
		if err := c.scan(ctx, p, reading, false); err != nil {
			return err
		}
		suspects, tooMany := c.leftOver(p, z)
		if tooMany != nil {
			if fraction < leastShare {
				c.lacks("more than %s values that differ in spelling only do not fit together, which is more than can be told apart in %s of memory: give the check more --memory", phrase.Group(fmt.Sprint(z.suspects)), size(c.o.Memory))
				return nil
			}
			least := left.keys * 5 / 4
			if failed++; failed > 1 { // what is left over does not lie evenly
				least = left.keys * 4
			}
			left = load{max(int(float64(tooMany.keys)/now.fraction()), least), tooMany.sure}
			continue
		}
		failed = 0
		found += len(suspects)
		if err := c.followUp(ctx, suspects, now); err != nil {
			return err
		}
		if round++; found > 0 { // by what there was, there is so much in all
			left = load{int(math.Ceil(float64(found) / now.end())), true}
		}
		done = now
	}
}

// furtherRounds asks whether there may be so many rounds.
func (c *checker) furtherRounds(left load, rounds int) error {
	if c.o.Rounds == nil {
		return nil
	}
	cost := Estimate(c.t, c.o)
	each := 1 + cost.Again/max(cost.First, 1)
	took := time.Duration(each * float64(c.firstTook))
	if c.o.Confirm == ConfirmFull {
		took += c.t.Connection().Settle()
	}
	c.speak.Lock()
	defer c.speak.Unlock()
	return c.o.Rounds(Rounds{
		Values: left.keys, Sure: left.sure, Rounds: rounds,
		Units: float64(rounds) * max(cost.Units(), each*c.firstUnits), Time: time.Duration(rounds) * took,
		Memory: memoryFor(left.keys),
	})
}

// inRound notes which of how many rounds this is.
func (c *checker) inRound(round, rounds int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.round, c.rounds = round, rounds
}

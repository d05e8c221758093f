package counters

import (
	"slices"
	"strings"
	"unicode"
)

// The following words, in lower case, give a meaning to names of attributes, keys and tables. nameWords
// splits such a name first: lastOrderID becomes last, order and id.
var (
	// counting words name a counter, wherever they are in a name.
	counting = wordSet(
		"counter counters sequence sequences seq seqs autoincrement autoinc autonumber idgen idgenerator nextid lastid maxid",
	)
	// countingPairs are counting words that are written as two words.
	countingPairs = wordSet(
		"auto-increment auto-number auto-inc id-generator id-gen id-sequence number-range running-number next-id last-id max-id next-number last-number",
	)
	// edges begin the name of the number that a counter holds: the last or the next number.
	edges = wordSet("last next max highest latest current cur high largest biggest newest")
	// numbered words end the name of the number that a counter holds.
	numbered = wordSet(
		"id ids number numbers num no nr seq sequence value val key index idx counter used issued assigned allocated generated",
	)
	// neutral words say only that there is a number.
	neutral = wordSet(
		"value val v n num number no nr current cur count cnt counted total last next id idx index int integer numbers atomic",
	)
	// counts words begin or end the name of a number that counts other items.
	counts = wordSet("count counts cnt total totals num number counter tally size")
	// events words name things that some counters count. Such counters hand out no ids.
	events = wordSet(
		"view views visit visits visitor visitors hit hits click clicks like likes download downloads play plays vote votes follower followers impression impressions share shares",
	)
	// settings words describe how a counter counts, in the counter's own item.
	settings = wordSet(
		"step increment incrementby start startvalue startat initial min minimum max maximum maxvalue minvalue padding pad width digits modulo modulus cycle cache cachesize block blocksize ceiling offset",
	)
	// measures words name other numbers of an item. Such a number is not a counter, even if other items suggest it.
	measures = wordSet(`age price prices amount amounts balance score scores points stock qty quantity inventory length
		bytes percent percentage rate ratio limit limits quota used remaining available attempt attempts retry retries fail
		failure failures failed error errors duration timeout ttl weight height rating ratings temperature level rank position
		priority width capacity page pages lat lon lng latitude longitude year month day hour minute port status code salary
		cost fee tax discount credit credits budget distance speed read seen login logins run sync synced processed acked
		delivered applied checkpoint cursor offset sign signature otp hotp token tokens chapter step lesson stage question
		episode due bill billing payment charge money cents usd eur floor room seats size streak xp health lives money goals
		reading temp humidity try tries volume threshold delay interval backoff prev previous parent`)
	times = wordSet(
		"at on time date timestamp ts created updated modified since until when epoch millis ms seconds expires expire expiry expiration",
	)
	versions = wordSet("version versions ver rev revision etag wc schema")
	// barring words show a lease, a limit or a marker. An item with such an attribute is not a counter.
	barring = wordSet(
		"ttl expire expires expired expiry expiration exp window lease leased fencing guid nonce quota burst refill idempotency idempotent locked lock heartbeat refilled bucket",
	)
	// barringKeys are words of keys. Items under such keys count something that ends, or record the position of a reader.
	barringKeys = wordSet(
		`rate ratelimit ratelimits ratelimiter limiter throttle throttling quota lock locks lease leases mutex idempotency idempotent otp attempt attempts login session sessions cache checkpoint checkpoints cursor cursors offset offsets consumer projection projections bookmark watermark setting settings config configuration flag flags feature migration migrations schema cart basket
		progress progresses exports imports archive archives archiver archived backup backups indexed indexer exported imported processed processor replicated replica
		snapshot snapshots scanned digest digests mailed notified seen shown display pinned pointer resume mirror mirrored relay outbox inbox milestone goal goals
		sync poll poller import importer export exporter feed source stream streams worker crawler crawl etl replication`,
	)
	// tags are names of attributes that tell one kind of items from others.
	tags = wordSet("type kind entity entitytype model et en typename recordtype itemtype objecttype")
	// labels are names of other attributes that a counter's item may have.
	labels = wordSet(
		"name description desc label title prefix suffix format by tenant org organization scope table comment note counter entity kind type model region",
	)
)

func wordSet(words string) map[string]bool {
	set := map[string]bool{}
	for _, w := range strings.Fields(words) {
		set[w] = true
	}
	return set
}

// nameWords splits a name into words in lower case. It splits at every character that is no letter,
// and where a capital begins a new word. Digits are dropped.
func nameWords(name string) []string {
	var words []string
	runes := []rune(name)
	start := 0 // index of the current word
	flush := func(end int) {
		if start < end {
			words = append(words, strings.ToLower(string(runes[start:end])))
		}
		start = end
	}
	for n, r := range runes {
		switch {
		case !unicode.IsLetter(r):
			flush(n)
			start = n + 1
		case unicode.IsUpper(r) && start < n && (unicode.IsLower(runes[n-1]) || (n+1 < len(runes) &&
			unicode.IsLower(runes[n+1]) && unicode.IsUpper(runes[n-1]) && !(runes[n+1] == 's' && n+2 == len(runes)))):
			flush(n)
		}
	}
	flush(len(runes))
	return words
}

// saysCounter reports whether words name a counter.
func saysCounter(words []string) bool {
	for n, w := range words {
		if counting[w] || strings.HasSuffix(w, "counter") && w != "encounter" || (n > 0 && countingPairs[words[n-1]+"-"+w]) {
			return true
		}
	}
	last := len(words) - 1
	return last > 0 && leading[words[0]] && ending[words[last]] && !anyOf(words, measures)
}

// leading and ending are the first and the last words of counter names such as lastOrderId and
// NEXT_INVOICE_NUMBER, with any word between them.
var (
	leading = wordSet("last next max highest")
	ending  = wordSet("id ids number no nr seq")
)

func anyOf(words []string, of map[string]bool) bool {
	return slices.ContainsFunc(words, func(w string) bool { return of[w] })
}

func allOf(words []string, of map[string]bool) bool {
	return len(words) > 0 && !slices.ContainsFunc(words, func(w string) bool { return !of[w] })
}

// naming is the meaning of the name of a numeric attribute.
type naming int

const (
	otherNumber   naming = iota // a number that is not a counter: a price, a time, a version
	unnamed                     // the name gives no hint
	neutralName                 // the name says only that it is a number: value, n, count
	idName                      // an id: order_number, circularId
	telling                     // a counter: lastId, seq, nextInvoiceNumber
	countingEvent               // a number of events: views, votes
)

// namingOf classifies the name of an attribute that holds a number.
func namingOf(name string, known map[string]bool) naming {
	words := nameWords(name)
	if known[name] {
		return telling
	}
	if len(words) == 0 {
		return unnamed
	}
	last := words[len(words)-1]
	switch {
	case anyOf(words, versions) || times[last] || barring[words[0]]:
		return otherNumber
	case anyOf(words, events):
		return countingEvent
	case isSetting(words), anyOf(words, measures):
		return otherNumber
	case slices.Contains(words, "sequence") && last == "number": // this is the sequence number of a stream
		return unnamed
	case saysCounter(words):
		return telling
	case edges[words[0]] && len(words) == 2 && (last == "value" || last == "val"):
		return neutralName // currentValue may be the price of a share
	case edges[words[0]] && len(words) > 1 && (numbered[last] || strings.HasSuffix(last, "id") || strings.HasSuffix(last, "number") || strings.HasSuffix(last, "no")):
		return telling
	case allOf(words, neutral):
		return neutralName
	case last == "id" || last == "ids" || last == "number" || last == "no" || last == "num" || last == "nr":
		return idName
	}
	return unnamed
}

// isSetting reports whether a name describes how a counter counts: maxValue, step.
func isSetting(words []string) bool {
	if len(words) == 1 {
		return settings[words[0]]
	}
	return settings[strings.Join(words, "")] || (words[0] == "increment" && words[len(words)-1] != "counter") ||
		words[0] == "start" ||
		words[0] == "initial"
}

// subjectOf returns the words of a name without the counting words. For example, nextOrderNumber gives "order".
func subjectOf(words []string) []string {
	var out []string
	for _, w := range words {
		if counting[w] || edges[w] || numbered[w] || neutral[w] || counts[w] || w == "and" || w == "of" || w == "the" ||
			w == "s" ||
			len(w) < 2 {
			continue
		}
		if len(w) > 4 {
			w = strings.TrimSuffix(w, "id") // accountid gives account
		}
		out = append(out, singular(w))
	}
	return out
}

func singular(w string) string {
	switch {
	case strings.HasSuffix(w, "ies") && len(w) > 4:
		return w[:len(w)-3] + "y"
	case strings.HasSuffix(w, "sses"), strings.HasSuffix(w, "xes"), strings.HasSuffix(w, "ches"):
		return w[:len(w)-2]
	case strings.HasSuffix(w, "s") && !strings.HasSuffix(w, "ss") && !strings.HasSuffix(w, "us") && len(w) > 2:
		return w[:len(w)-1]
	}
	return w
}

// shared reports whether two subjects have a word in common. Two words also match if one is the beginning of the other
// (invoice, inv). A word of b also matches if it has the initials of words of a (pr, pull request).
func shared(a, b []string) bool {
	for _, v := range a {
		for _, w := range b {
			if v == w || len(v) >= 3 && strings.HasPrefix(w, v) || len(w) >= 3 && strings.HasPrefix(v, w) {
				return true
			}
		}
	}
	return slices.ContainsFunc(b, func(w string) bool { return strings.Contains(initials(a), w) && len(w) > 1 })
}

func initials(words []string) string {
	var out strings.Builder
	for _, w := range words {
		out.WriteString(w[:1])
	}
	return out.String()
}

package counters_test

import (
	"fmt"
	"strings"
	"testing"

	"tallylock/dynamo/guess"
	"tallylock/dynamo/guess/counters"
)

// lookAlikes are tables without a counter, but with an item that looks like a counter.
var lookAlikes = []struct{ name, table, keys, items string }{
	{"leases", "locks", "key", "6x key=job-% leaseDuration:20000 ownerName=w~ recordVersionNumber:7"},
	{"a lease that fences", "mutexes", "name", "name=nightly fencingToken:31 holder=worker-3\nname=hourly fencingToken:900 holder=worker-1"},
	{"terraform", "tf-locks", "LockID", "LockID=bucket/state Info={}\nLockID=bucket/state-md5 Digest=abc"},
	{"rate limits", "limits", "ip", "5x ip=10.0.0.% count:% ttl:1795336909"},
	{"rate limits by window", "app", "pk sk", "5x pk=RATE#user% sk=WINDOW#1795336900 hits:%"},
	{"counters of a limiter", "app", "pk sk", "5x pk=COUNTER#~ sk=API count:% expiresAt:1795336909"},
	{"login attempts", "app", "pk sk", "4x pk=ATTEMPT#~ sk=LOGIN counter:% lastTry:1795336909"},
	{"quota of a plan", "quotas", "tenant", "tenant=acme limit:100 used:7\ntenant=globex limit:50 used:50"},
	{"idempotency", "idempotency", "id", "4x id=~ status=DONE expiration:1795336909 attempts:%"},
	{"webauthn", "auth", "pk sk", "6x pk=USER#~ sk=AUTHENTICATOR#cred% counter:% credentialPublicKey=~ transports=usb"},
	{"a lone webauthn credential", "auth", "credentialID", "credentialID=k1 counter:17 credentialPublicKey=x userId=u1 providerAccountId=p"},
	{"hotp", "otp", "user", "4x user=u~ secret=~ counter:4% digits:6"},
	{"optimistic locking", "docs", "id", "8x id=doc~ version:%"},
	{"schema version", "app", "pk sk", "pk=SCHEMA sk=VERSION version:12\n3x pk=USER#~ sk=PROFILE name=x"},
	{"stock", "stock", "sku", "sku=widget quantity:5\nsku=gear quantity:12\nsku=cog quantity:40"},
	{"inventory counts", "inventory", "sku", "5x sku=SKU~ count:7 warehouse=east"},
	{"prices", "prices", "product", "product=tea price:5\nproduct=milk price:2"},
	{"scores", "leaderboard", "player", "player=ada score:900\nplayer=bob score:120"},
	{"wallets", "wallets", "userId", "3x userId=~ balance:500"},
	{"settings", "settings", "key", "key=maxUsers value:100\nkey=pageSize value:25"},
	{"limits by name", "config", "name", "name=orders value:100\nname=users value:25"},
	{"feature flags", "flags", "flag", "flag=beta percent:10\nflag=search percent:100"},
	{"users with ages", "users", "id", "9x id=~ name=n~ age:3%"},
	{"users with numeric ids", "users", "id/N", "9x id:% name=n~ age:30"},
	{"orders", "orders", "id", "6x id=~ orderNumber:10% total:55 customer=c~"},
	{"bare orders", "orders", "id", "6x id=~ orderNumber:10%"},
	{"one bare order", "orders", "id", "id=7f2c9a31 orderNumber:17"},
	{"order lines", "orders", "PK SK", "4x PK=ORDER#~ SK=META total:129\n4x PK=ORDER#~ SK=LINE#1 quantity:2 price:60"},
	{"posts with views", "blog", "pk", "7x pk=POST#~ title=t views:%00 likes:%"},
	{"events of a stream", "events", "stream seq/N", "9x stream=account-1 seq:% type=Deposited data=x"},
	{"events, numbered", "events", "pk sk", "9x pk=STREAM#acc1 sk=SEQ#%% type=Deposited seq:%"},
	{"bare events", "log", "id", "9x id=~ seq:%"},
	{"a checkpoint", "app", "pk sk", "pk=CHECKPOINT#mailer sk=POSITION lastSequence:1055\n9x pk=EVENT#% sk=META type=x"},
	{"read marks", "chat", "pk sk", "5x pk=ROOM#~ sk=MEMBER#u% lastReadMessageId:5%"},
	{"chat pointers", "chat", "pk sk", "5x pk=CHANNEL#~ sk=META lastMessageId:5% topic=x members=y"},
	{"chapters", "books", "pk sk", "6x pk=BOOK#1 sk=CHAPTER#% nextChapter:% title=t~"},
	{"linked list", "steps", "id/N", "6x id:% nextId:4 prevId:2 text=x title=y"},
	{"retries", "jobs", "id", "5x id=~ retryCounter:% status=queued payload=x"},
	{"kitchen counters", "shop", "pk sk", "pk=PRODUCT#kitchen-counter sk=META price:900 stock:4\npk=PRODUCT#bar-stool sk=META price:90 stock:40"},
	{"check-in counters", "airport", "pk sk", "5x pk=COUNTER#% sk=DESK airline=LH terminal=B open? queue:7"},
	{"counterparties", "ledger", "pk sk", "5x pk=COUNTERPARTY#~ sk=META exposure:700"},
	{"a game", "games", "title", "title=counter-strike players:12\ntitle=chess players:2"},
	{"sensors", "readings", "device ts/N", "6x device=d1 ts:179533690% value:2%"},
	{"temperatures", "latest", "sensor", "sensor=attic value:21\nsensor=cellar value:12"},
	{"sessions", "sessions", "id", "5x id=~ expires:1795336909 userId=u%"},
	{"fractions", "rates", "name", "name=orders value:1.5\nname=users value:0.25"},
	{"texts", "app", "pk sk", "pk=COUNTER#order sk=VALUE val=forty\npk=USER#1 sk=META name=x"},
	{"negative", "app", "pk sk", "pk=COUNTER#order sk=VALUE val:-4"},
	{"a cart", "shop", "pk sk", "4x pk=CART#~ sk=ITEM#sku% qty:2 count:2"},
	{"a game room", "rooms", "pk sk", "pk=ROOM#1 sk=META maxPlayers:4 map=x mode=y\n4x pk=ROOM#1 sk=PLAYER#~ name=x"},
	{"sizes", "files", "path", "5x path=/a/~ size:40% blocks:%"},
	{"numbered houses", "addresses", "pk sk", "5x pk=STREET#main sk=HOUSE#% number:% owner=o~ floors:2"},
	{"next retry", "jobs", "id", "id=a nextAttempt:1795336909\nid=b nextAttempt:1795336910"},
	{"daily visits", "stats", "day", "5x day=2026-11-0% visits:7%"},
	{"ratings", "films", "pk", "5x pk=FILM#~ ratingCount:7 ratingSum:30 title=x"},
	{"years", "cars", "id", "5x id=~ year:201% model=x"},
	{"ports", "services", "name", "name=web port:80\nname=db port:5432"},
	{"cursors", "cursors", "consumer", "consumer=mailer offset:55\nconsumer=billing offset:54"},
	{"cache of totals", "app", "pk sk", "pk=CACHE#orders sk=TOTAL value:77 ttl:1795336909"},
	{"binary keys", "b", "k/B", "k=x n:1"},
	{"nothing", "empty", "pk", "pk=a"},
	{"sequencing runs", "lab", "pk sk", "4x pk=SAMPLE#~ sk=RUN#% reads:90% quality:3"},
	{"next of kin", "people", "id", "5x id=~ nextOfKin:7 name=x surname=y"},
	{"an item of one number", "app", "pk sk", "pk=USER#~ sk=POINTS points:50\n5x pk=USER#~ sk=PROFILE name=n"},
	{"sequences of dna", "genes", "pk", "4x pk=gene~ sequence=ACGT length:4 score:7"},
	{"wp", "posts", "id", "5x id=~ title=x commentCount:% body=y slug=z"},
	{"visits per day", "stats", "pk sk", "5x pk=STATS#2026-11-0% sk=DAY visitors:%2"},
	{"what is left", "inv", "pk sk", "5x pk=PRODUCT#~ sk=INVENTORY available:1%"},
	{"seats", "cinema", "pk sk", "5x pk=SHOW#~ sk=META seatsLeft:1% title=x hall=3"},
	{"followers", "app", "pk sk", "5x pk=USER#~ sk=STATS followers:1% following:2% posts:3%"},
	{"logins", "app", "pk sk", "5x pk=USER#~ sk=STATS loginCount:1%"},
	{"leases of a stream's readers", "kcl", "leaseKey", "4x leaseKey=shardId-0000% leaseCounter:1% leaseOwner=w checkpoint=TRIM ownerSwitchesSinceCheckpoint:%"},
	{"one such lease", "kcl", "leaseKey", "leaseKey=shardId-00001 leaseCounter:104 checkpoint=4961 leaseOwner=a"},
	{"locks with versions", "lock", "lockKey sortKey", "3x lockKey=l% sortKey=s leaseDuration=1000 recordVersionNumber=~ ownerName=x"},
	{"token buckets", "rl", "id", "3x id=user% tokens:4 lastRefill:1795336909"},
	{"sliding windows", "rl", "pk sk/N", "5x pk=ip#1.1.1.% sk:1795336900 count:%"},
	{"fixed windows", "rl", "pk", "5x pk=ratelimit:user%:1795336900 count:%"},
	{"limits of a pool", "cfg", "name", "name=max_connections value:100\nname=timeout value:30"},
	{"exchange rates", "fx", "pair", "pair=EURUSD rate:2\npair=USDJPY rate:150"},
	{"options of a poll", "polls", "pk sk", "3x pk=POLL#1 sk=OPTION#~ votes:1%"},
	{"an event store", "es", "aggregateId version/N", "8x aggregateId=acc1 version:% type=x payload=y"},
	{"snapshots", "es", "pk sk", "3x pk=acc~ sk=SNAPSHOT version:1% balance:30"},
	{"offsets", "offs", "topic partition/N", "4x topic=orders partition:% offset:10%"},
	{"messages", "chat", "conversationId messageId/N", "8x conversationId=c1 messageId:% text=x from=y"},
	{"players", "players", "id", "5x id=~ elo:10% wins:% losses:%"},
	{"migrations", "migrations", "id", "id=schema version:12"},
	{"invoices of customers", "inv", "pk sk", "5x pk=CUST#~ sk=INV#~ invoiceNumber:100% amount:8"},
	{"cron", "cron", "job", "3x job=j~ nextRun:1795336909 lastRun:1795336809"},
	{"employees", "emp", "id", "6x id=~ employeeNumber:100% name=x dept=y"},
	{"calories", "diet", "pk sk", "5x pk=USER#~ sk=DAY#2026-11-01 calorieCounter:21%0 water:3"},
	{"steps", "fit", "user day", "5x user=u~ day=2026-11-01 stepCounter:90%"},
	{"episodes", "tv", "pk sk", "5x pk=SHOW#~ sk=PROGRESS lastEpisodeNumber:1%"},
	{"pages", "books", "pk sk", "5x pk=USER#~ sk=BOOK#b% lastPageNumber:1%"},
	{"geiger counters", "sensors", "id", "3x id=s~ counter:90% room=x lab=y"},
	{"meters", "meters", "meterId", "3x meterId=m~ currentReading:90%"},
	{"shares", "p", "symbol", "3x symbol=S~ currentValue:90%"},
	{"a playlist", "pl", "pk sk", "5x pk=PL#1 sk=SONG#~ sequence:%"},
	{"first steps", "wf", "pk sk", "5x pk=WF#~ sk=STEP#a sequence:1 name=x"},
	{"stops", "bus", "pk sk", "5x pk=ROUTE#~ sk=STOP#s% stopSequence:% name=x"},
	{"tables of a restaurant", "rest", "id", "5x id=~ tableNumber:% seats:4"},
	{"orders of a customer, uncounted", "app", "pk sk", "pk=CUSTOMER#1 sk=PROFILE name=x orders:3 vip?\npk=CUSTOMER#1 sk=ADDRESS#1 city=x\npk=CUSTOMER#1 sk=ADDRESS#2 city=x"},
	{"nonces", "eth", "address", "3x address=0x~ nonce:%4"},
	{"where a job is", "app", "pk sk", "pk=JOB#sync sk=STATE lastId:5512\n5x pk=USER#~ sk=P name=x"},
	{"where jobs are", "sync_state", "source", "source=github lastId:5512\nsource=jira lastId:12"},
	{"where a stream's readers are", "cp", "pk", "pk=shard-1 lastSequenceNumber:49590\npk=shard-2 lastSequenceNumber:49591"},
	{"stock of entities", "app", "PK SK", "5x PK=P#~ SK=P _et=Product _ct=2020 _md=2021 stockCount:4% nm=x"},
	{"counts by hand", "app", "pk sk", "5x pk=ITEM#~ sk=COUNT count:4%"},
	{"a customer's last order", "app", "pk sk", "3x pk=CUSTOMER#~ sk=PROFILE name=x email=y lastOrderId:10%\n3x pk=CUSTOMER#~ sk=ORDER#10% total:2"},
	{"the length of a playlist", "app", "pk sk", "pk=PL#1 sk=META title=x owner=y length:3\n3x pk=PL#1 sk=SONG#% t=x"},
	{"stars", "app", "pk sk", "pk=FILM#1 sk=META title=x owner=y stars:4\n4x pk=FILM#1 sk=REVIEW#~ t=x stars:4"},
	{"as many by chance", "app", "pk sk", "pk=USER#1 sk=META name=x city=y kids:2\n2x pk=USER#1 sk=ORDER#~ t=x"},
	{"a limit, reached", "app", "pk", "pk=limit_default n:12\n12x pk=user#% name=x"},
	{"favourites", "app", "id/N", "12x id:% name=x favourite:12"},
	{"grades", "app", "id/N", "12x id:% grade:%"},
	{"sla", "app", "pk sk", "5x pk=SLA#~ sk=META maxHours:4 name=x"},
	{"ttl counters", "app", "pk", "4x pk=view_counter_~ value:% ttl:1795336909"},
	{"bank account numbers", "bank", "accountNumber/N", "5x accountNumber:400% balance:5 owner=x"},
	{"one account", "bank", "accountNumber/N", "accountNumber:4001 balance:5"},
	{"one bare item numeric key", "things", "id/N", "id:5"},
	{"todos", "todo", "pk sk", "5x pk=LIST#~ sk=TODO#% order:% done?"},
	{"list w/ position", "todo", "pk sk", "5x pk=LIST#1 sk=TODO#~ index:%"},
	{"levels", "game", "player", "4x player=p~ currentLevel:3 xp:40"},
	{"last score", "game", "player", "4x player=p~ lastScore:3%"},
	{"max score", "game", "player", "4x player=p~ maxScore:3%"},
	{"high score", "game", "player", "player=ada highestScore:300"},
	{"user lastInvoiceNumber", "app", "pk sk", "4x pk=USER#~ sk=PROFILE lastInvoiceNumber:10% name=x mail=y"},
	{"device lastSeq", "iot", "deviceId", "4x deviceId=d~ lastSeq:10% fw=x model=y"},
	{"device lastSeq bare", "iot", "deviceId", "4x deviceId=d~ lastSeq:104%"},
	{"packets", "iot", "pk sk", "8x pk=DEV#1 sk=PKT#% seq:% data=x"},
	{"bid", "auction", "pk sk", "4x pk=AUCTION#~ sk=META currentBid:10% name=x"},
	{"currentBid bare", "auction", "id", "4x id=a~ currentBid:10%"},
	{"bid count", "auction", "pk sk", "3x pk=AUCTION#~ sk=META bidCount:4 name=x seller=y"},
	{"usage", "saas", "pk sk", "4x pk=TENANT#t~ sk=USAGE#2026-11 requests:10% bytes:55"},
	{"usage counter metering", "saas", "tenant month", "4x tenant=t~ month=2026-11 apiCalls:10%"},
	{"cart total", "shop", "pk sk", "3x pk=CART#~ sk=CART total:3 items:2"},
	{"build numbers", "ci", "repo build/N", "8x repo=web build:% status=ok"},
	{"poll results", "polls", "choice", "choice=yes votes:10\nchoice=no votes:3"},
	{"colors", "c", "name", "name=red count:10\nname=blue count:3"},
	{"word counts", "wc", "word", "word=the count:1000\nword=of count:900\nword=order count:4"},
	{"countries", "pop", "country", "country=FR value:67\ncountry=DE value:83"},
	{"kv", "kv", "key", "key=a value:1\nkey=b value:2"},
	{"kv 2", "kv", "key", "key=orders value:1\nkey=theme value=dark"},
	{"daily stats", "app", "pk sk", "5x pk=STATS#ORDERS sk=2026-11-0% count:1% revenue:700"},
	{"daily order counts", "app", "pk sk", "5x pk=ORDERS sk=2026-11-0% count:1%"},
	{"auth throttle", "auth", "pk", "3x pk=LOGIN_ATTEMPTS#u% counter:% windowStart:1795336909"},
	{"dead letters", "q", "id", "4x id=~ receiveCount:% body=x"},
	{"dead letters bare", "q", "id", "4x id=~ receiveCount:%"},
	{"kids", "fam", "pk sk", "3x pk=FAM#~ sk=META numChildren:2 name=x street=y"},
	{"unread", "chat", "pk sk", "4x pk=USER#~ sk=ROOM#r1 unreadCount:%"},
	{"revision docs", "docs", "pk sk", "5x pk=DOC#1 sk=REV#%% rev:% text=x"},
	{"doc latest pointer", "docs", "pk sk", "pk=DOC#1 sk=LATEST latestVersion:5 title=x author=z\n5x pk=DOC#1 sk=V#% text=x"},
	{"versioned v0", "docs", "pk sk", "pk=DOC#1 sk=v0 latest:5 title=x author=z\n5x pk=DOC#1 sk=v% text=x"},
	{"devices that measure", "devices", "deviceId", "9x deviceId=d% lastValue:20.5"},
	{"devices that measure whole numbers", "devices", "deviceId", "9x deviceId=d% lastValue:2%4"},
	{"votes in entities", "polls", "pk sk", "4x pk=POLL#~ sk=META votes:% question=x options=y"},
}

// An item that only looks like a counter is not recognised as one.
func TestNoCounters(t *testing.T) {
	for _, tc := range lookAlikes {
		t.Run(tc.name, func(t *testing.T) {
			sample := table(tc.table, tc.keys, tc.items)
			for _, whole := range []bool{true, false} {
				sample.Whole = whole
				for _, c := range counters.Of(sample) {
					t.Errorf("it is taken for a counter (whole: %v): %s, %s; %s", whole, said(sample, []counters.Counter{c}), c.PK, c.Why)
				}
			}
		})
	}
}

// Leading zeros of ids show the number of digits, and so the highest number.
func TestCeilingOfIDs(t *testing.T) {
	for _, tc := range []struct{ items, want string }{
		{"pk=COUNTER#ISSUE val:41\n41x pk=ISSUE#000%%", "99999999"},
		{"pk=COUNTER#ISSUE val:41\n41x pk=ISSUE#%", ""},
		{"pk=COUNTER#ISSUE val:100000\npk=ISSUE#099999\npk=ISSUE#100000", "999999"},
		{"pk=COUNTER#ISSUE val:1000\npk=ISSUE#001\npk=ISSUE#1000", ""},
	} {
		found := counters.Of(table("app", "pk", tc.items))
		if len(found) != 1 {
			t.Fatalf("%d counters in %s", len(found), tc.items)
		}
		got := ""
		if found[0].Max != nil {
			got = found[0].Max.String()
		}
		if got != tc.want {
			t.Errorf("the highest is %q in %s; want %q", got, tc.items, tc.want)
		}
	}
}

// If a counter's item describes how it counts, the layout has these settings.
func TestCounterSettings(t *testing.T) {
	for _, tc := range []struct{ items, want string }{
		{"pk=ROUND_ROBIN_COUNTER current:2 modulo:5", "step 1 offset 0 max <nil> modulo 5"},
		{"pk=ORDER_SEQUENCE current:107 increment:10 maxValue:9999", "step 10 offset 7 max 9999 modulo <nil>"},
		{"pk=ORDER_SEQUENCE current:107 increment:1 minValue:1", "step 1 offset 0 max <nil> modulo <nil>"},
	} {
		for _, c := range counters.Of(table("app", "pk", tc.items+"\n3x pk=user#~ name=x")) {
			if got := fmt.Sprintf("step %s offset %s max %v modulo %v", c.Step, c.Offset, c.Max, c.Modulo); got != tc.want || c.Attribute != "current" {
				t.Errorf("%s: %s %s, want %s", tc.items, c.Attribute, got, tc.want)
			}
			tc.want = ""
		}
		if tc.want != "" {
			t.Errorf("no counter in %s", tc.items)
		}
	}
}

// Hundreds of counters do not share one number as their id. Their evidence does not list each pair of counters.
func TestHundredsOfCountersShareNoIDs(t *testing.T) {
	for _, tc := range []struct{ keys, counter, odd string }{
		{"PK SK", "PK=COUNTER#c~ SK=SEQ", "PK=COUNTER#x SK=SEQ seq=12"},
		{"PK SK", "PK=COUNTER SK=c%", "PK=COUNTER SK=x seq=12"},
		{"PK SK", "PK=TENANT#t% SK=COUNTER#ORDER", "PK=TENANT#x SK=COUNTER#ORDER seq=12"},
		{"id", "id=COUNTER#c%", "id=COUNTER#x seq=12"},
		{"id", "id=counter-%", "id=doc seq_text=12"},
		{"id", "id=counter-%", "id=counter-x seq=12"},
		{"id", "id=counter_c~", "id=counter_x seq_text=12"},
	} {
		for _, value := range []string{"seq:%", "seq:12", "seq:1%"} {
			sample := table("app", tc.keys, "300x "+tc.counter+" "+value+"\n"+tc.odd)
			all, text := counters.Of(sample), 0
			for _, c := range all {
				if text += len(c.Why); len(c.IDs) > 0 {
					t.Fatalf("%s %s: %s has the ids %v", tc.counter, tc.odd, c.Name, c.IDs)
				}
			}
			if len(all) == 0 || text > 300*200 {
				t.Errorf("%s %s: %d counters, and %d bytes say why", tc.counter, tc.odd, len(all), text)
			}
		}
	}
}

// Two counters with the same ids are noted. Two items that should be one counter are noted, too.
func TestDoubles(t *testing.T) {
	for _, sample := range []guess.Sample{
		table("app", "pk sk", "pk=COUNTER sk=ORDER value:42\npk=COUNTERS sk=ORDERS value:40\n42x pk=ORDER#% sk=META total:2"),
		table("NextIdTable", "Counter/N", "Counter:39\nCounter:40"),
	} {
		found := counters.Of(sample)
		if len(found) == 0 {
			t.Error("no counters in", sample.Name)
		}
		for _, c := range found {
			if !strings.Contains(c.Why, "should have only one") {
				t.Error(c.Why)
			}
		}
	}
}

// common has counters that are not in the catalogue.
var common = []struct{ name, table, keys, items, want string }{
	{"a sequence beside its orders", "shop", "PK SK", "PK=SEQUENCE SK=ORDER current:42\n42x PK=ORDER#% SK=META total:129", "current last 1 ids ORDER#{number}/META"},
	{"the next invoice", "shop", "pk sk", "pk=META#COUNTERS sk=COUNTERS nextInvoiceNumber:43 nextQuoteNumber:8\n42x pk=INVOICE#%% sk=META total:129", "nextInvoiceNumber next 1 ids INVOICE#{number}/META; nextQuoteNumber next 1"},
	{"one higher than the ids", "shop", "pk", "pk=order_counter value:43\n42x pk=order#% total:129 customer=~", "value next 1 ids order#{number}"},
	{"per tenant", "saas", "PK SK", "3x PK=TENANT#t~ SK=COUNTER#INVOICE value:%4\n4x PK=TENANT#t~ SK=USER#~ name=x", "value last 3"},
	{"per tenant, with ids", "saas", "PK SK", "PK=TENANT#acme SK=COUNTER#INVOICE value:5\n5x PK=TENANT#acme SK=INVOICE#000% total:700\nPK=TENANT#globex SK=COUNTER#INVOICE value:7\n7x PK=TENANT#globex SK=INVOICE#000% total:700", "value last 2 ids TENANT#{tenant}/INVOICE#{number}"},
	{"per year", "books", "pk sk", "pk=COUNTER#INVOICE#2025 sk=SEQ n:104\npk=COUNTER#INVOICE#2026 sk=SEQ n:17\n17x pk=INVOICE#2026 sk=%% total:700", "n last 2 ids INVOICE#{year}/{number}"},
	{"projects that number their issues", "jira", "PK SK", "PK=PROJECT#web SK=META name=Web lead=ada nextIssueNumber:6\n5x PK=PROJECT#web SK=ISSUE#%% title=t~ state=open\nPK=PROJECT#ios SK=META name=iOS lead=bob nextIssueNumber:4\n3x PK=PROJECT#ios SK=ISSUE#%% title=t~ state=open", "nextIssueNumber next 2 ids PROJECT#{project}/ISSUE#{number}"},
	{"teams that count members", "saas", "PK SK", "PK=TEAM#a SK=META name=A plan=pro memberCount:3\n3x PK=TEAM#a SK=MEMBER#~ role=dev\nPK=TEAM#b SK=META name=B plan=free memberCount:5\n5x PK=TEAM#b SK=MEMBER#~ role=dev", "memberCount tally 2"},
	{"threads that count comments", "forum", "pk sk", "pk=THREAD#x sk=THREAD#x title=t author=a comments:4\n4x pk=THREAD#x sk=COMMENT#~ text=x", "comments tally 1"},
	{"several in one item", "app", "pk sk", "pk=COUNTERS sk=COUNTERS users:31 orders:9\n31x pk=USER#% sk=PROFILE email=x\n9x pk=ORDER#% sk=META total:7", "orders last 1 ids ORDER#{number}/META; users last 1 ids USER#{number}/PROFILE"},
	{"a table of sequences", "sequences", "name", "name=order value:55\nname=customer value:7", "value last 2"},
	{"a table of sequences with steps", "sequences", "sequenceName", "sequenceName=order currentValue:55 step:1 updatedAt=2026-11-22\nsequenceName=customer currentValue:7 step:1 updatedAt=2026-11-22", "currentValue last 2"},
	{"key 0 among numbers", "things", "id/N", "id:0 lastId:12\n12x id:% name=x", "lastId last 1 ids {number}"},
	{"key 0 with a plain name", "things", "id/N", "id:0 seq:12\n12x id:% name=x", "seq last 1 ids {number}"},
	{"max id", "app", "pk sk", "pk=user sk=maxId maxId:31\n31x pk=user#% sk=profile name=n~", "maxId last 1 ids user#{number}/profile"},
	{"ids in an attribute", "shop", "pk sk", "pk=COUNTER sk=ORDER lastOrderNumber:1005\n5x pk=ORDER#~ sk=META orderNumber:100% total:15", "lastOrderNumber last 1 ids ORDER#{anyb}/META orderNumber"},
	{"ids in a text", "shop", "pk sk", "pk=COUNTER sk=INVOICE value:5\n5x pk=INVOICE#~ sk=META invoiceNumber=INV-%% total:15", "value last 1 ids INVOICE#{anyb}/META invoiceNumberINV-{number}"},
	{"page views", "view-counters", "page", "page=home views:102\npage=about views:7", "views tally 2"},
	{"a global counter", "app", "pk", "pk=GLOBAL_COUNTER cnt:88\n4x pk=~ name=x", "cnt last 1"},
	{"likes in shards", "likes", "pk", "pk=likes_shard_0 n:5\npk=likes_shard_1 n:9\npk=likes_shard_2 n:2", "n tally 3"},
	{"a ticket server", "tickets", "stub", "stub=a ticketSequence:555", "ticketSequence last 1"},
	{"nextId", "ids", "table_name", "table_name=orders nextId:43\ntable_name=users nextId:8", "nextId next 2"},
	{"NEXT_ID as its key", "app", "pk sk", "pk=NEXT_ID sk=ORDER value:43\n42x pk=ORDER#% sk=META total:7", "value next 1 ids ORDER#{number}/META"},
	{"an auto increment item", "app", "id", "id=auto_increment users:31\n31x id=u~ userId:% name=n", "users last 1 ids {anya} userId"},
	{"capital LASTID", "app", "PK SK", "PK=LASTID SK=PRODUCT value:12\n12x PK=PRODUCT#% SK=META name=x", "value last 1 ids PRODUCT#{number}/META"},
	{"the number of users", "app", "pk sk", "pk=STATS sk=TOTALS userCount:20\n20x pk=USER#~ sk=PROFILE name=x", "userCount tally 1"},
	{"names with a hyphen", "seqs", "id", "id=order-seq value:4\nid=invoice-seq value:9", "value last 2"},
	{"two for each organisation", "app", "pk sk", "4x pk=ORG#o~ sk=COUNTERS invoices:1% quotes:%\n4x pk=ORG#o~ sk=META name=x", "invoices last 4; quotes last 4"},
	{"a queue", "queue", "pk sk", "pk=QUEUE#main sk=STATE lastTicket:44 nowServing:41\n4x pk=QUEUE#main sk=TICKET#4% name=x", "lastTicket last 1 ids QUEUE#main/TICKET#{number}"},
	{"tenants by their bare ids", "app", "tenantId sk", "tenantId=acme sk=COUNTER value:3\n3x tenantId=acme sk=INV-0000% total:8\ntenantId=bolt sk=COUNTER value:5\n5x tenantId=bolt sk=INV-0000% total:8", "value last 2 ids {tenant_id}/INV-{number}"},
	{"amplify", "Counter-abc-dev", "id", "id=orders count:41 __typename=Counter createdAt=x updatedAt=y", "count last 1"},
	{"the highest in its key", "app", "pk", "pk=highestOrderId value:41\n41x pk=order-% total:3", "value last 1 ids order-{number}"},
	{"stores that number receipts", "pos", "pk sk", "pk=STORE#1 sk=META name=x city=y lastReceiptNo:12\n12x pk=STORE#1 sk=RECEIPT#% total:8\npk=STORE#2 sk=META name=x city=z lastReceiptNo:3\n3x pk=STORE#2 sk=RECEIPT#% total:8", "lastReceiptNo last 2 ids STORE#{store}/RECEIPT#{number}"},
	{"posts that count comments", "blog", "PK SK", "PK=POST#1 SK=POST#1 title=x author=y commentCount:2\n2x PK=POST#1 SK=COMMENT#~ t=x\nPK=POST#2 SK=POST#2 title=x author=y commentCount:0\nPK=POST#3 SK=POST#3 title=x author=y commentCount:4\n4x PK=POST#3 SK=COMMENT#~ t=x", "commentCount tally 3"},
	{"votes in shards", "votes", "id", "4x id=candidateA-shard-% votes:4%", "votes tally 4"},
	{"views in shards", "app", "PK SK", "4x PK=VIDEO#1#VIEWS SK=SHARD#% count:4%\n4x PK=USER#~ SK=A name=x", "count tally 4"},
	{"shards by number", "counters", "counterId shard/N", "4x counterId=home shard:% count:4%\n4x counterId=about shard:% count:2%", "count tally 8"},
	{"a number as sort key", "t", "pk sk/N", "pk=counter sk:0 value:12\n12x pk=order sk:% name=x", "value last 1 ids order/{number}"},
	{"the current one", "app", "pk sk", "pk=INVOICE sk=CURRENT number:12\n12x pk=INVOICE sk=NO#000%% total:3", "number last 1 ids INVOICE/NO#{number}"},
	{"companies that number invoices", "app", "pk sk", "3x pk=COMPANY#~ sk=COMPANY name=x vat=y invoice_counter:1%\n3x pk=USER#~ sk=USER name=x", "invoice_counter last 3"},
	{"orders under customers", "app", "pk sk", "pk=COUNTER sk=ORDER value:12\n12x pk=CUSTOMER#~ sk=ORDER#%% total:3", "value last 1 ids CUSTOMER#{anyb}/ORDER#{number}"},
	{"customers as many as orders", "app", "pk sk", "pk=COUNTER sk=ORDER value:50\n50x pk=CUSTOMER#% sk=META name=x", "value last 1"},
	{"ids that are times", "app", "pk sk", "pk=COUNTER sk=EVENT value:42\n5x pk=EVENT#179533690960% sk=META name=x", "value last 1"},
	{"lines beneath orders", "app", "pk sk", "pk=COUNTER sk=ORDER seq:5\n5x pk=ORDER#% sk=META total:9\n5x pk=ORDER#% sk=ITEM#1 qty:2\n5x pk=ORDER#% sk=ITEM#2 qty:2", "seq last 1 ids ORDER#{number}/META"},
	{"ids with a year before them", "app", "pk", "pk=INVOICE_SEQ value:5\n5x pk=INV-2026-%% total:1", "value last 1 ids INV-2026-{number}"},
	{"it counts users by its key", "app", "pk sk", "pk=COUNT sk=USERS value:5\n5x pk=USER#~ sk=META name=x", "value tally 1"},
	{"boards that number tasks", "app", "pk sk", "pk=BOARD#1 sk=BOARD title=x taskSeq:6\n6x pk=BOARD#1 sk=TASK#% title=x\npk=BOARD#2 sk=BOARD title=x taskSeq:2\n2x pk=BOARD#2 sk=TASK#% title=x", "taskSeq last 2 ids BOARD#{board}/TASK#{number}"},
	{"pull requests", "app", "pk sk", "pk=REPO#1 sk=REPO#1 title=x owner=y PullRequestCount:6\n6x pk=REPO#1 sk=PR#% title=x\npk=REPO#2 sk=REPO#2 title=x owner=y PullRequestCount:2\n2x pk=REPO#2 sk=PR#% title=x", "PullRequestCount last 2 ids REPO#{repo}/PR#{number}"},
	{"likes of numbered posts", "counters", "id", "id=post-1 likes:20\nid=post-2 likes:3", "likes tally 2"},
	{"a counter for each day", "app", "pk sk", "3x pk=SEQ#2026-11-0% sk=ORDER n:1%", "n last 3"},
	{"counters of posts", "app", "pk", "4x pk=counter#post#% n:1%\n3x pk=user#~ name=x", "n last 4"},
	{"capitals in one word", "wms", "pk sk", "pk=PLANT#1 sk=LOTCOUNTER lastLot:33\npk=PLANT#2 sk=LOTCOUNTER lastLot:12", "lastLot last 2"},
	{"messages of conversations", "chat", "pk sk", "pk=CONV#a sk=META title=x lastSeq:30\n30x pk=CONV#a sk=MSG#%% text=x\npk=CONV#b sk=META title=x lastSeq:4\n4x pk=CONV#b sk=MSG#%% text=x", "lastSeq last 2 ids CONV#{conv}/MSG#{number}"},
	{"totals of everything", "app", "PK SK", "PK=STATS SK=GLOBAL totalUsers:5 totalOrders:7\n5x PK=USER#~ SK=USER#~ email=x\n7x PK=ORDER#~ SK=ORDER#~ t=x", "totalOrders tally 1; totalUsers tally 1"},
	{"a numeric tenant", "app", "tenant/N sk", "tenant:1 sk=COUNTER#ORDER n:4\ntenant:2 sk=COUNTER#ORDER n:9\n4x tenant:1 sk=ORDER#%% t=x\n9x tenant:2 sk=ORDER#%% t=x", "n last 2 ids {tenant}/ORDER#{number}"},
	{"accounts that number transactions", "bank", "pk sk", "pk=ACCT#a sk=ACCT owner=x nextTxn:4\n3x pk=ACCT#a sk=TXN#%% amt:4\npk=ACCT#b sk=ACCT owner=x nextTxn:7\n6x pk=ACCT#b sk=TXN#%% amt:5", "nextTxn next 2 ids ACCT#{acct}/TXN#{number}"},
	{"a counter behind its ids", "shop", "pk sk", "pk=COUNTER sk=ORDER seq:40\n42x pk=ORDER#% sk=META total:129", "seq last 1 ids ORDER#{number}/META"},
}

func TestCommonCounters(t *testing.T) {
	for _, tc := range common {
		t.Run(tc.name, func(t *testing.T) {
			sample := table(tc.table, tc.keys, tc.items)
			if got := said(sample, counters.Of(sample)); got != tc.want {
				t.Errorf("found\n%s\nwant\n%s", got, tc.want)
			}
		})
	}
}

package corpus_test

// lookAlikes are tables with a number that is not a counter, although it is stored like a counter, grows like a
// counter, or equals the highest id. If somebody used the number as a counter, the next id could already be in use.
var lookAlikes = []numbered{
	{name: "units of a product", tables: []string{"shop PK SK"}, items: `
		PK=PRODUCT#tea SK=STOCK onHand:12
		12x PK=PRODUCT#tea SK=UNIT#%% received=2026`},
	{name: "a migration that all ran", tables: []string{"app PK SK"}, items: `
		PK=SCHEMA SK=CURRENT version:31
		31x PK=MIGRATION#%% SK=MIGRATION name=m~`},
	{name: "a bookmark on the last page", tables: []string{"reader PK SK"}, items: `
		PK=BOOK#7 SK=BOOKMARK#ada page:40
		40x PK=BOOK#7 SK=PAGE#%% text=x~`},
	{name: "an export that is up to date", tables: []string{"crm PK SK"}, items: `
		PK=EXPORT SK=ORDER upTo:55
		55x PK=ORDER#%% SK=META total:7 customer=~`},
	{name: "a search index that is up to date", tables: []string{"crm PK SK"}, items: `
		PK=INDEXED SK=ARTICLE value:55
		55x PK=ARTICLE#%% SK=META title=~ body=x`},
	{name: "a backup that is up to date", tables: []string{"crm PK SK"}, items: `
		PK=BACKUP SK=INVOICE id:25
		25x PK=INVOICE#%% SK=META total:7 customer=~`},
	{name: "what was mailed", tables: []string{"news PK SK"}, items: `
		PK=DIGEST SK=POST number:33
		33x PK=POST#%% SK=META title=~ body=x`},
	{name: "archives by table", tables: []string{"archiver table", "orders id:N"}, items: `
		table=orders position:50
		@1 50x id:% total:7 customer=~`},
	{name: "progress of consumers", tables: []string{"progress entity", "events id:N"}, items: `
		entity=events done:60
		@1 60x id:% type=Deposited data=~`},
	{name: "a leaderboard of numbered players", tables: []string{"game PK SK"}, items: `
		PK=BEST SK=PLAYER score:24
		24x PK=PLAYER#%% SK=META name=~ clan=x`},
	{name: "seats of a hall", tables: []string{"cinema PK SK"}, items: `
		PK=HALL#1 SK=META seats:30 city=x owner=y
		30x PK=HALL#1 SK=SEAT#%% row=a`},
	{name: "a quota that is used up", tables: []string{"saas PK SK"}, items: `
		PK=QUOTA SK=PROJECT limit:10
		10x PK=PROJECT#%% SK=META name=~ owner=x`},
	{name: "a plan with as many users", tables: []string{"saas PK SK"}, items: `
		PK=PLAN#pro SK=USER included:25
		25x PK=USER#%% SK=META name=~ mail=x`},
	{name: "wallets", tables: []string{"bank PK SK"}, items: `
		PK=WALLET#ada SK=BALANCE cents:17
		17x PK=WALLET#ada SK=TXN#%% cents:1 memo=~`},
	{name: "balances of accounts", tables: []string{"ledger account"}, items: `
		account=cash balance:4000
		account=bank balance:52000
		account=equity balance:56000`},
	{name: "views of pages", tables: []string{"blog PK SK"}, items: `
		5x PK=PAGE#p~ SK=PAGE views:10% title=x body=y`},
	{name: "elections", tables: []string{"cluster PK SK"}, items: `
		PK=LEADER SK=TERM term:42
		12x PK=NODE#~ SK=META host=x`},
	{name: "epochs of shards", tables: []string{"kvstore shard"}, items: `
		8x shard=s~ epoch:1%`},
	{name: "unix times", tables: []string{"jobs name"}, items: `
		name=mailer value:1795336909
		name=billing value:1795336809
		name=reports value:1795330909`},
	{name: "unix times in milliseconds by entity", tables: []string{"app PK SK"}, items: `
		PK=TOUCHED SK=ORDER value:1795336909123
		PK=TOUCHED SK=USER value:1795336907001
		9x PK=ORDER#%% SK=META total:7
		9x PK=USER#%% SK=META name=~`},
	{name: "ages by name", tables: []string{"people name"}, items: `
		name=Ada value:36
		name=Alan value:41
		name=Grace value:85`},
	{name: "populations", tables: []string{"cities name"}, items: `
		name=paris count:2102650
		name=lyon count:522250
		name=lille count:236710`},
	{name: "prices of one number each", tables: []string{"menu dish"}, items: `
		dish=soup n:5
		dish=fish n:12
		dish=cake n:4`},
	{name: "levels of tanks", tables: []string{"plant tank"}, items: `
		6x tank=t~ litres:40%`},
	{name: "ranks", tables: []string{"league team"}, items: `
		9x team=t~ place:%`},
	{name: "positions in a list", tables: []string{"todo PK SK"}, items: `
		9x PK=LIST#a SK=TASK#~ pos:% text=x`},
	{name: "chess ratings", tables: []string{"chess player"}, items: `
		9x player=p~ elo:15%`},
	{name: "retries of a job", tables: []string{"work PK SK"}, items: `
		PK=JOB#1 SK=TRY tries:3
		3x PK=JOB#1 SK=TRY#%% error=x~`},
	{name: "a turn of a game", tables: []string{"game PK SK"}, items: `
		PK=GAME#1 SK=STATE turn:18 white=x black=y
		18x PK=GAME#1 SK=MOVE#%% san=x~`},
	{name: "a round robin over workers", tables: []string{"pool PK SK"}, items: `
		PK=WORKER SK=RR cursor:12
		12x PK=WORKER#%% SK=META host=~`},
	{name: "sizes of partitions", tables: []string{"topics topic"}, items: `
		topic=orders partitions:12
		topic=users partitions:3
		topic=mails partitions:6`},
	{name: "ports", tables: []string{"services service"}, items: `
		service=order value:8080
		service=user value:8081
		service=invoice value:8082`},
	{name: "timeouts by entity", tables: []string{"conf PK SK"}, items: `
		PK=TIMEOUT SK=ORDER seconds:30
		30x PK=ORDER#%% SK=META total:7 customer=~`},
	{name: "page sizes by entity", tables: []string{"conf entity", "orders id:N"}, items: `
		entity=orders pageSize:25
		entity=users pageSize:50
		@1 25x id:% total:7 customer=~`},
	{name: "retention in days", tables: []string{"conf entity", "orders id:N"}, items: `
		entity=orders days:30
		entity=users days:90
		@1 30x id:% total:7 customer=~`},
	{name: "years of vintages", tables: []string{"wine PK SK"}, items: `
		6x PK=WINE#~ SK=META vintage:201% name=x grape=y`},
	{name: "floors", tables: []string{"houses PK SK"}, items: `
		PK=HOUSE#1 SK=META floors:3 street=x city=y
		3x PK=HOUSE#1 SK=FLOOR#% tenant=~
		PK=HOUSE#2 SK=META floors:5 street=x city=y
		5x PK=HOUSE#2 SK=FLOOR#% tenant=~`},
	{name: "a thermostat", tables: []string{"home device"}, items: `
		device=kitchen target:21
		device=bath target:23`},
	{name: "odometers", tables: []string{"fleet car"}, items: `
		5x car=c~ odometer:1204%`},
	{name: "exam marks", tables: []string{"school PK SK"}, items: `
		9x PK=STUDENT#%% SK=MARK mark:%`},
	{name: "a student's mark is the last number", tables: []string{"school PK SK"}, items: `
		PK=AVERAGE SK=STUDENT points:15
		15x PK=STUDENT#%% SK=META name=~ mail=x`},
	{name: "the number of the house", tables: []string{"post PK SK"}, items: `
		6x PK=STREET#elm SK=HOUSE#% number:% family=~ colour=x`},
	{name: "the last one that was read", tables: []string{"mail PK SK"}, items: `
		PK=USER#ada SK=SEEN message:44
		44x PK=MESSAGE#%% SK=META from=~ text=x`},
	{name: "what is shown now", tables: []string{"clinic PK SK"}, items: `
		PK=DISPLAY SK=TICKET number:19
		19x PK=TICKET#%% SK=META patient=~ room=x`},
	{name: "a champion", tables: []string{"club PK SK"}, items: `
		PK=WINNER SK=MEMBER value:14
		14x PK=MEMBER#%% SK=META name=~ since=x`},
	{name: "a favourite", tables: []string{"club PK SK"}, items: `
		PK=PINNED SK=POST value:16
		16x PK=POST#%% SK=META title=~ body=x`},
	{name: "a default by entity", tables: []string{"club PK SK"}, items: `
		PK=DEFAULT SK=ADDRESS value:11
		11x PK=ADDRESS#%% SK=META street=~ city=x`},
	{name: "counts of words", tables: []string{"corpus word"}, items: `
		word=the n:52190
		word=order n:817
		word=user n:402`},
	{name: "goals", tables: []string{"sales PK SK"}, items: `
		PK=GOAL#2026 SK=ORDER value:45
		45x PK=ORDER#%% SK=META total:7 customer=~`},
	{name: "depth of a queue", tables: []string{"mqueue PK SK"}, items: `
		PK=QUEUE#mail SK=DEPTH depth:20
		20x PK=QUEUE#mail SK=MSG#%% body=~`},
	{name: "blocks of a chain", tables: []string{"node PK SK"}, items: `
		PK=CHAIN SK=HEAD height:64
		64x PK=BLOCK#%% SK=META hash=~ parent=x`},
	{name: "credits that are left", tables: []string{"api PK SK"}, items: `
		7x PK=KEY#k~ SK=CREDITS left:9%`},
	{name: "generations", tables: []string{"objects PK SK"}, items: `
		7x PK=OBJECT#~ SK=META generation:% etag=x`},
	{name: "a vector clock", tables: []string{"crdt node"}, items: `
		node=a clock:14
		node=b clock:9
		node=c clock:22`},
}

package corpus_test

// commonCounters are tables with counters of common designs. The wanted result has the highest id if one read of a
// partition, of an index or of a small table shows it.
var commonCounters = []numbered{
	{name: "one of orders", tables: []string{"shop PK SK"}, items: `
		PK=COUNTER SK=ORDER value:42
		42x PK=ORDER#% SK=META total:7 customer=~`, want: "value last 42 42"},
	{name: "the next order", tables: []string{"shop PK SK"}, items: `
		PK=COUNTER SK=ORDER value:43
		42x PK=ORDER#% SK=META total:7 customer=~`, want: "value next 43 42"},
	{name: "of another table's codes", tables: []string{"Counters counter_name", "Strategies strategy_id"}, items: `
		counter_name=strategy_id current_value:42
		@1 64x strategy_id=~ display_id=STR-% name=x~`, want: "current_value last 42"},
	{name: "a family", tables: []string{"shop PK SK"}, items: `
		PK=COUNTER#order SK=VALUE val:42
		PK=COUNTER#user SK=VALUE val:17
		42x PK=ORDER#% SK=META total:7 customer=~
		17x PK=USER#% SK=META name=~ mail=x`, want: "val last 42 42; val last 17 17"},
	{name: "several in one item", tables: []string{"shop PK SK"}, items: `
		PK=COUNTERS SK=COUNTERS order:42 user:17
		42x PK=ORDER#% SK=META total:7 customer=~
		17x PK=USER#% SK=META name=~ mail=x`, want: "order last 42 42; user last 17 17"},
	{name: "per tenant", tables: []string{"saas PK SK"}, items: `
		PK=TENANT#acme SK=COUNTER#INVOICE value:15
		15x PK=TENANT#acme SK=INVOICE#%% total:7
		PK=TENANT#bolt SK=COUNTER#INVOICE value:12
		12x PK=TENANT#bolt SK=INVOICE#%% total:7`, want: "value last 15 15; value last 12 12"},
	{name: "per year", tables: []string{"books PK SK"}, items: `
		PK=COUNTER#INVOICE#2025 SK=SEQ n:21
		21x PK=INVOICE#2025 SK=%% total:7
		PK=COUNTER#INVOICE#2026 SK=SEQ n:17
		17x PK=INVOICE#2026 SK=%% total:7`, want: "n last 21 21; n last 17 17"},
	{name: "projects and their issues", tables: []string{"jira PK SK"}, items: `
		PK=PROJECT#one SK=META name=x lead=y issueSeq:25
		25x PK=PROJECT#one SK=ISSUE#%% title=~ state=open
		PK=PROJECT#two SK=META name=x lead=y issueSeq:11
		11x PK=PROJECT#two SK=ISSUE#%% title=~ state=open`, want: "issueSeq last 25 25; issueSeq last 11 11"},
	{name: "teams and their members", tables: []string{"saas PK SK"}, items: `
		PK=TEAM#one SK=META name=x plan=y memberCount:3
		3x PK=TEAM#one SK=MEMBER#~ role=dev
		PK=TEAM#two SK=META name=x plan=y memberCount:5
		5x PK=TEAM#two SK=MEMBER#~ role=dev`, want: "memberCount tally 3; memberCount tally 5"},
	{name: "shards", tables: []string{"likes PK"}, items: `
		4x PK=LIKES#home#SHARD#% n:10`, want: "n tally 40"},
	{name: "shards of two", tables: []string{"app PK SK"}, items: `
		5x PK=VIEWS#home SK=SHARD#% n:2
		5x PK=VIEWS#about SK=SHARD#% n:3
		9x PK=USER#~ SK=META name=x`, want: "n tally 10; n tally 15"},
	{name: "a sort key of numbers", tables: []string{"shop PK SK:N"}, items: `
		PK=counter SK:0 value:42
		42x PK=order SK:% total:7`, want: "value last 42 42"},
	{name: "by an index on the number", tables: []string{"shop PK SK +kind/orderNumber:N"}, items: `
		PK=SEQUENCE SK=ORDER current:42
		42x PK=ORDER#~ SK=META kind=ORDER orderNumber:%`, want: "current last 42 42"},
	{name: "by an inverted index", tables: []string{"shop PK SK +SK/PK"}, items: `
		PK=COUNTER SK=ORDER val:42
		42x PK=ORDER#%% SK=META total:7 customer=~`, want: "val last 42 42"},
	{name: "in another table", tables: []string{"autoincrement tableName", "circulars circularId:N"}, items: `
		tableName=circulars circularId:42
		@1 42x circularId:% subject=~`, want: "circularId last 42 42"},
	{name: "in another table, behind", tables: []string{"autoincrement tableName", "circulars circularId:N"}, items: `
		tableName=circulars circularId:40
		@1 42x circularId:% subject=~`, want: "circularId last 40 42"},
	{name: "of tables", tables: []string{"counters name", "orders id:N"}, items: `
		name=orders value:42
		name=users value:17
		@1 42x id:% total:7 customer=~`, want: "value last 42 42; value last 17"},
	{name: "the table of sequences", tables: []string{"sequences name"}, items: `
		name=order value:55
		name=customer value:7`, want: "value last 55; value last 7"},
	{name: "the last id", tables: []string{"app pk sk"}, items: `
		pk=user sk=lastId lastId:31
		31x pk=user#% sk=profile name=~`, want: "lastId last 31 31"},
	{name: "invoice numbers in a text", tables: []string{"shop PK SK"}, items: `
		PK=COUNTER SK=INVOICE value:25
		25x PK=INVOICE#~ SK=META number=INV-%% total:15`, want: "value last 25 25"},
	{name: "key 0", tables: []string{"posts id:N"}, items: `
		id:0 lastId:12
		12x id:% title=~`, want: "lastId last 12 12"},
	{name: "it begins again", tables: []string{"app PK"}, items: `
		PK=ROUND_ROBIN_COUNTER current:2 modulo:5
		6x PK=user#~ name=x`, want: "current last 2"},
	{name: "a ceiling", tables: []string{"app PK SK"}, items: `
		PK=ORDER_SEQUENCE SK=SEQ current:107 increment:10 maxValue:9999
		6x PK=user#~ SK=META name=x`, want: "current last 107"},
	{name: "a global one", tables: []string{"app PK"}, items: `
		PK=GLOBAL_COUNTER cnt:88
		6x PK=user#~ name=x`, want: "cnt last 88"},
	{name: "a number as its key", tables: []string{"NextIdTable Counter:N"}, items: `
		Counter:39`, want: "Counter last 39"},
	{name: "the number of users", tables: []string{"app PK SK"}, items: `
		PK=STATS SK=TOTALS userCount:20
		20x PK=USER#~ SK=PROFILE name=x`, want: "userCount tally 20"},
	{name: "two behind", tables: []string{"saas PK SK"}, items: `
		PK=TENANT#acme SK=COUNTER#INVOICE value:13
		15x PK=TENANT#acme SK=INVOICE#%% total:7
		PK=TENANT#bolt SK=COUNTER#INVOICE value:12
		12x PK=TENANT#bolt SK=INVOICE#%% total:7`, want: "value last 13 15; value last 12 12"},
}

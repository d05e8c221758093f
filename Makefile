.PHONY: build test long race golden schemas bench fuzz fmt lint ci snapshot module licences vulnerabilities pictures sentences spec mutation

FRAMES = $(CURDIR)/.frames

build: ## the binary, for this machine
	go build -o tallylock .

test: ## what the README says, and a line for what it left out: go test hides what a package that passes prints
	go test ./...
	@go test -v -run '^TestRunsBySQL$$' ./dynamo/check/warehouse | grep -o 'left out: .*' || true

long: ## all that the tests know: more seeds, more faults
	TALLYLOCK_LONG=1 go test ./...

race:
	go test -race -short ./...

golden: ## the screens, after a change that is meant
	go test ./ui -run Screens -update

schemas: ## docs/schema, after a change of a type that is printed or read
	go test ./ui/cli -run TestSchemas -update

bench:
	go test -run '^$$' -bench . ./dynamo/... ./ui

fuzz: ## one target for a minute: make fuzz P=./dynamo/attr F=FuzzJSON
	go test -run '^$$' -fuzz '^$(F)$$' -fuzztime 1m $(P)

fmt:
	go run mvdan.cc/gofumpt@v0.12.0 -w .

lint:
	go run github.com/golangci/golangci-lint/v2/cmd/golangci-lint@v2.15.0 run ./...

ci: ## everything that must hold before a change lands
	.ci/run

spec: ## the protocols as a model in Quint
	.ci/spec

mutation: ## each condition of each transaction removed in turn: some test has to fail
	go run ./internal/mutate

pictures: ## docs/, from the program's own output: after a change of the screens
	rm -rf "$(FRAMES)" && mkdir -p docs/screens
	TALLYLOCK_FRAMES="$(FRAMES)/dark" go test ./ui -count=1 -run Screens
	TALLYLOCK_FRAMES="$(FRAMES)/light" TALLYLOCK_FRAMES_LIGHT=1 go test ./ui -count=1 -run Screens
	cd docs/picture && go run . ../.. "$(FRAMES)"

sentences: ## every sentence that people can see, each once, with its place
	@cd docs/sentences && go run . ../..

snapshot: ## all that a release has, into dist; nothing is published
	rm -rf dist
	.ci/snapshot dist

module: ## another path for the module: make module PATH=github.com/you/tallylock
	@.ci/module '$(PATH)'

licences: ## of what is linked into the program
	.ci/licences

vulnerabilities: ## known ones, in what the program calls
	go run golang.org/x/vuln/cmd/govulncheck@v1.9.0 ./...

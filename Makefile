.PHONY: build test fmt lint picture

build: ## the binary, for this machine
	go build -o tallylock .

test: ## what the README says
	go test ./...

fmt:
	go run mvdan.cc/gofumpt@v0.12.0 -w .

lint:
	go vet ./...
	go run honnef.co/go/tools/cmd/staticcheck@v0.8.2 ./...

picture: ## docs/*.png, from the program's own output
	cd docs/picture && go run . ..

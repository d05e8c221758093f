package check_test

import (
	"context"
	"runtime"
	"syscall"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/feature/dynamodb/attributevalue"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"

	"tallylock/dynamo/client"
	"tallylock/dynamo/embedded/sdk"
	"tallylock/dynamo/scan"
	"tallylock/internal/generator"
)

// record is the struct into which an application would decode the items.
type record struct {
	PK, SK          string
	Email, Username string
}

var columns = []string{"PK", "SK", "email", "username"}

// BenchmarkScan compares ways to read pages of 1 MiB. It measures the items and the bytes that each way reads in one
// CPU-second of the process. It also divides this speed by that of the SDK's paginator, alone and with decoding into
// structs. All ways include the time to generate the pages.
func BenchmarkScan(b *testing.B) {
	const pages = 96
	for _, shape := range []struct {
		name            string
		perPage, filler int
		columns         []string
	}{
		{"items of 100 bytes", 3560, 0, columns},
		{"items of 280 bytes", 1245, 165, append([]string{"about"}, columns...)},
	} {
		table := &generator.Table{Name: "accounts", Pages: pages, PerPage: shape.perPage, Filler: shape.filler}
		service := sdk.Client(table)
		conn := connected(b, behind(table))
		description, err := conn.Describe(b.Context(), table.Name)
		if err != nil {
			b.Fatal(err)
		}
		paginated := func(ctx context.Context, each func(*dynamodb.ScanOutput) error) (items int, err error) {
			in := &dynamodb.ScanInput{TableName: &table.Name, ProjectionExpression: aws.String("PK,SK,email,username")}
			if shape.filler > 0 {
				in.ProjectionExpression = aws.String("about,PK,SK,email,username")
			}
			for pages := dynamodb.NewScanPaginator(service, in); pages.HasMorePages(); {
				page, err := pages.NextPage(ctx)
				if err != nil {
					return items, err
				}
				items += len(page.Items)
				if err := each(page); err != nil {
					return items, err
				}
			}
			return items, nil
		}
		sdk, structs := 0.0, 0.0
		for _, mode := range []struct {
			name string
			scan func(context.Context) (items int, err error)
		}{
			{"SDK", func(ctx context.Context) (int, error) {
				return paginated(ctx, func(*dynamodb.ScanOutput) error { return nil })
			}},
			{"SDK into structs", func(ctx context.Context) (int, error) {
				return paginated(ctx, func(page *dynamodb.ScanOutput) error {
					for _, item := range page.Items {
						var r record
						if err := attributevalue.UnmarshalMap(item, &r); err != nil {
							return err
						}
					}
					return nil
				})
			}},
			{"ours", func(ctx context.Context) (int, error) {
				var c counting
				_, err := scan.Table(ctx, conn.Client, description, scan.Options{Attributes: shape.columns, Segments: 1, Workers: 1, MaxReadUnits: -1}, func() scan.Visitor { return &c })
				return c.items, err
			}},
			{"read and discard", func(ctx context.Context) (int, error) {
				r := conn.PageReader(client.PageScan{Table: table.Name, Attributes: shape.columns, Segments: pages})
				for s := range pages {
					if err := r.Read(ctx, s, nil, func([]byte) (float64, bool, error) { return 0, true, nil }); err != nil {
						return 0, err
					}
				}
				return table.Items(), nil
			}},
		} {
			b.Run(shape.name+"/"+mode.name, func(b *testing.B) {
				if n, err := mode.scan(b.Context()); err != nil || n != table.Items() { // warm up, too
					b.Fatal(n, err)
				}
				var before, after runtime.MemStats
				runtime.ReadMemStats(&before)
				cpu := cpuTime()
				for b.Loop() {
					if _, err := mode.scan(b.Context()); err != nil {
						b.Fatal(err)
					}
				}
				seconds := (cpuTime() - cpu).Seconds()
				runtime.ReadMemStats(&after)
				items := float64(b.N) * float64(table.Items())
				b.ReportMetric(items/seconds/1e6, "Mitems/cpu-s")
				b.ReportMetric(float64(b.N*pages)/seconds, "MiB/cpu-s")
				b.ReportMetric(float64(after.TotalAlloc-before.TotalAlloc)/items, "B/item")
				b.ReportMetric(float64(after.Mallocs-before.Mallocs)/items, "allocs/item")
				switch mode.name {
				case "SDK":
					sdk = items / seconds
				case "SDK into structs":
					structs = items / seconds
				}
				if sdk > 0 {
					b.ReportMetric(items/seconds/sdk, "x-SDK")
				}
				if structs > 0 {
					b.ReportMetric(items/seconds/structs, "x-structs")
				}
			})
		}
	}
}

// counting looks at each value, as any check must.
type counting struct{ items, bytes int }

func (c *counting) Visit(r scan.Row, _ scan.Rest) {
	c.items++
	for n := range r {
		c.bytes += len(r[n].Text)
	}
}

// cpuTime returns the CPU time that the process has used, over all cores.
func cpuTime() time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		return 0
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

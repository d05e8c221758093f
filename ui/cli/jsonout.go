package cli

import (
	"fmt"

	"tallylock/dynamo/attr"
)

// printAll writes results as --output says: one array, or an object a line.
func printAll[T any](s *invocation, results []T) error {
	if s.flags.output == asLines {
		for _, r := range results {
			if err := s.print(r); err != nil {
				return err
			}
		}
		return nil
	}
	if results == nil {
		results = []T{} // an array, whatever is in it
	}
	return s.print(results)
}

// print writes one result as JSON.
func (s *invocation) print(result any) error {
	indent := "  "
	if s.flags.output == asLines {
		indent = ""
	}
	line, err := attr.Line(result, indent)
	if err == nil {
		_, err = s.out.Write(line)
	}
	if err != nil {
		return fmt.Errorf("writing the result: %w", err)
	}
	return nil
}

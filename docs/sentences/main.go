// Command sentences lists every sentence that people can see, each once, with the place where it is first seen.
package main

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"regexp"
	"slices"
	"strings"
	"unicode"
)

func main() {
	if len(os.Args) < 2 {
		fmt.Fprintln(os.Stderr, "sentences: name the root of the repository, then kinds of places, such as frames (default: all)")
		os.Exit(1)
	}
	out := bufio.NewWriter(os.Stdout)
	err := run(os.Args[1], os.Args[2:], out)
	if err == nil {
		err = out.Flush()
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "sentences:", err)
		os.Exit(1)
	}
}

// collectors has a function for each kind of place, in the order in which people see these places.
var collectors = []struct {
	kind    string
	collect func(root string, add func(place, text string)) error
}{
	{"pages", pages},
	{"help", help},
	{"config", config},
	{"frames", frames},
	{"scripts", scripts},
	{"source", source},
}

// run prints the sentences of the given kinds of places. The last line has their number.
func run(root string, kinds []string, out io.Writer) error {
	seen := map[string]bool{}
	for _, c := range collectors {
		if len(kinds) > 0 && !slices.Contains(kinds, c.kind) {
			continue
		}
		err := c.collect(root, func(place, text string) {
			for _, sentence := range sentences(text) {
				if key := strings.Map(letters, sentence); isSentence(sentence) && !seen[key] {
					seen[key] = true
					fmt.Fprintf(out, "%s: %s\n", place, sentence)
				}
			}
		})
		if err != nil {
			return fmt.Errorf("%s: %w", c.kind, err)
		}
	}
	_, err := fmt.Fprintf(out, "%d sentences\n", len(seen))
	return err
}

var sentenceEnd = regexp.MustCompile(`[.!?]["”)*]*\s+["“(*]*([\p{Lu}*\x60-]|tallylock\b)`)

// sentences splits a paragraph after each sentence. The next sentence begins with a capital letter or with the
// program's name.
func sentences(text string) (all []string) {
	text = strings.Join(strings.Fields(text), " ")
	for {
		at := sentenceEnd.FindStringIndex(text)
		if at == nil {
			return append(all, text)
		}
		end := at[0] + strings.IndexByte(text[at[0]:], ' ')
		all, text = append(all, text[:end]), text[end+1:]
	}
}

const fewestWords = 3

// isSentence reports whether a text has enough words of letters; data of tables has fewer.
func isSentence(text string) bool {
	words := 0
	for _, word := range strings.Fields(text) {
		word = strings.Trim(word, `.,;:!?"'()*`)
		if word != "" && strings.ToUpper(word) != word && strings.IndexFunc(word, notLetter) < 0 {
			words++
		}
	}
	return words >= fewestWords
}

func notLetter(r rune) bool { return !unicode.IsLetter(r) && r != '-' && r != '\'' }

// letters keeps letters only. So two sentences that differ only in a number or a quotation mark count once.
func letters(r rune) rune {
	if unicode.IsLetter(r) {
		return unicode.ToLower(r)
	}
	return -1
}

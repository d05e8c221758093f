package main

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"unicode/utf8"
)

// frames collects the texts of the screens: a frame is cut into its columns, and wrapped lines are joined again.
func frames(root string, add func(place, text string)) error {
	files, err := filepath.Glob(filepath.Join(root, "ui", "testdata", "*", "*.golden"))
	if err != nil {
		return err
	}
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			return err
		}
		place := strings.TrimSuffix(filepath.Base(file), ".golden") + " (frame)"
		unwrap(string(data), func(text string) { add(place, text) })
	}
	return nil
}

// A block is a piece of text in one line of a frame. The next line may continue it.
type block struct {
	text       string
	start, end int  // the first and the last column of its last line
	limit      int  // the column in which its part of the frame ends
	last       bool // no other block is to its right in its part of the frame
}

var (
	borders  = regexp.MustCompile(`[│╭╮╰╯├┤┬┴└]|[─━]{2,}`)
	wideGap  = regexp.MustCompile(`\s{2,}`)
	openEnds = regexp.MustCompile(`[.!?…:]$`)
)

// unwrap joins the lines of each text. The next line continues a text if its first word had no room in the line above.
func unwrap(frame string, add func(text string)) {
	var open []block
	for line := range strings.Lines(frame) {
		blocks := cut(strings.TrimRight(line, "\n"))
		for _, b := range open {
			next := -1
			for i, candidate := range blocks {
				if b.start == candidate.start && goesOn(b, candidate) {
					next = i
				}
			}
			if next < 0 {
				add(b.text)
				continue
			}
			blocks[next].text = b.text + " " + blocks[next].text
		}
		open = blocks
	}
	for _, b := range open {
		add(b.text)
	}
}

// goesOn reports whether a text had no room for the first word of the text below it.
func goesOn(b, below block) bool {
	word, _, _ := strings.Cut(below.text, " ")
	return b.last && !openEnds.MatchString(b.text) && b.end+1+utf8.RuneCountInString(word) > b.limit-12
}

// cut splits a line at borders and at gaps of two cells.
func cut(line string) (blocks []block) {
	column := 0
	add := func(part string, limit int) {
		at, first := 0, len(blocks)
		for _, gap := range append(wideGap.FindAllStringIndex(part, -1), []int{len(part), len(part)}) {
			text := strings.TrimLeft(part[at:gap[0]], " ▸")
			if text != "" {
				end := column + utf8.RuneCountInString(part[:gap[0]])
				start := end - utf8.RuneCountInString(text)
				hidden := start == column && column > 0 || end == limit // a dialog covers the rest of the text
				if !hidden {
					blocks = append(blocks, block{text: strings.TrimSpace(text), start: start, end: end, limit: limit})
				}
			}
			at = gap[1]
		}
		if len(blocks) > first {
			blocks[len(blocks)-1].last = true
		}
	}
	for line != "" {
		border := borders.FindStringIndex(line)
		if border == nil {
			add(line, max(80, column+utf8.RuneCountInString(line)+1))
			return blocks
		}
		part := line[:border[0]]
		add(part, column+utf8.RuneCountInString(part))
		column += utf8.RuneCountInString(line[:border[1]])
		line = line[border[1]:]
	}
	return blocks
}

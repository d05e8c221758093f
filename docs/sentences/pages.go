package main

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"tallylock/ui/cli"
)

var (
	listItem = regexp.MustCompile(`^\s*([-*]|\d+\.)\s+`)
	linkTo   = regexp.MustCompile(`!?\[([^\]]*)\]\([^)]*\)`)
	rule     = regexp.MustCompile(`^[|\s:-]*$`)
)

// pages collects the Markdown pages: paragraphs, list items, headings and cells of tables.
func pages(root string, add func(place, text string)) error {
	files := []string{"README.md", "CHANGELOG.md", "CONTRIBUTING.md", "SECURITY.md"}
	docs, err := filepath.Glob(filepath.Join(root, "docs", "*.md"))
	if err != nil {
		return err
	}
	for _, doc := range docs {
		files = append(files, filepath.Join("docs", filepath.Base(doc)))
	}
	for _, file := range files {
		data, err := os.ReadFile(filepath.Join(root, file))
		if err != nil {
			return err
		}
		markdown(string(data), func(text string) { add(file, linkTo.ReplaceAllString(text, "$1")) })
	}
	return nil
}

func markdown(page string, add func(text string)) {
	var paragraph []string
	flush := func() {
		add(strings.Join(paragraph, " "))
		paragraph = nil
	}
	inCode := false
	for line := range strings.Lines(page) {
		line = strings.TrimRight(line, "\n")
		trimmed := strings.TrimSpace(line)
		switch {
		case strings.HasPrefix(trimmed, "```"):
			flush()
			inCode = !inCode
		case inCode:
			if _, comment, ok := strings.Cut(line, "# "); ok {
				add(comment)
			}
		case trimmed == "" || strings.HasPrefix(trimmed, "#"):
			flush()
			add(strings.TrimLeft(trimmed, "# "))
		case strings.HasPrefix(trimmed, "|"):
			flush()
			if !rule.MatchString(trimmed) {
				for cell := range strings.SplitSeq(strings.ReplaceAll(trimmed, `\|`, "/"), "|") {
					add(cell)
				}
			}
		case listItem.MatchString(line):
			flush()
			paragraph = []string{listItem.ReplaceAllString(line, "")}
		default:
			paragraph = append(paragraph, trimmed)
		}
	}
	flush()
}

// help collects the help of all commands: what a command does, its flags, the exit statuses.
func help(_ string, add func(place, text string)) error {
	root, exits := cli.Manual()
	commands := append([]*cobra.Command{root}, root.Commands()...)
	for _, c := range commands {
		place := c.CommandPath() + " --help"
		add(place, c.Short)
		for paragraph := range strings.SplitSeq(c.Long, "\n\n") {
			add(place, paragraph)
		}
		for line := range strings.Lines(c.Example) {
			if _, comment, ok := strings.Cut(line, "# "); ok {
				add(place, comment)
			}
		}
		c.LocalFlags().VisitAll(func(f *pflag.Flag) {
			if !f.Hidden {
				add(place+", --"+f.Name, f.Usage)
			}
		})
	}
	add("tallylock --help", exits)
	return nil
}

// config collects the comments of the example of a config file.
func config(root string, add func(place, text string)) error {
	const file = "config.example.toml"
	data, err := os.ReadFile(filepath.Join(root, file))
	if err != nil {
		return err
	}
	var paragraph []string
	for line := range strings.Lines(string(data) + "\n") {
		setting, comment, ok := strings.Cut(line, "# ")
		if !ok || strings.TrimSpace(setting) != "" {
			add(file, strings.Join(paragraph, " "))
			paragraph = nil
		}
		if ok {
			paragraph = append(paragraph, strings.TrimSpace(comment))
		}
	}
	add(file, strings.Join(paragraph, " "))
	return nil
}

// Package kit draws lines, blocks, boxes, lists, fields and charts. Its styles work in every theme
// and with any number of colours. It knows nothing about tables, locks or key bindings.
//
// Only Line writes to the terminal, and it sanitises everything. A Block has rows to read, a List
// has rows to select, and a Box is a dialog. Start at line.go.
package kit

// Package kit draws: lines, blocks, boxes, lists, fields and charts, in styles that hold
// in every theme and number of colours. It knows no table, no lock and no key binding.
//
// Everything that reaches the terminal is written by Line, which sanitises it. A Block is
// rows that are read, a List rows to choose from, a Box a dialog. Start reading at line.go.
package kit

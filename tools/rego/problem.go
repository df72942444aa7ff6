package main

import (
	"cmp"
	"errors"
	"slices"

	"github.com/open-policy-agent/opa/v1/ast"
	"github.com/open-policy-agent/opa/v1/topdown"
)

// problem is one error or warning as data. Row and Col count from 1; 0 means "no position".
type problem struct {
	File    string `json:"file,omitempty"`
	Row     int    `json:"row,omitempty"`
	Col     int    `json:"col,omitempty"`
	Code    string `json:"code"`
	Message string `json:"message"`
}

func at(loc *ast.Location, code, message string) problem {
	if loc == nil {
		return problem{Code: code, Message: message}
	}
	// An empty file has no position in OPA's terms; editors want one.
	return problem{File: loc.File, Row: max(loc.Row, 1), Col: max(loc.Col, 1), Code: code, Message: message}
}

// problemList makes a list of problems travel as an error.
type problemList []problem

func (list problemList) Error() string {
	return list[0].Message
}

func problems(err error) []problem {
	var list problemList
	if errors.As(err, &list) {
		return list
	}
	var many ast.Errors
	if errors.As(err, &many) {
		return fromAST(many)
	}
	var one *ast.Error
	if errors.As(err, &one) {
		return fromAST(ast.Errors{one})
	}
	var eval *topdown.Error
	if errors.As(err, &eval) {
		return []problem{at(eval.Location, eval.Code, eval.Message)}
	}
	return []problem{{Code: "error", Message: err.Error()}}
}

func fromAST(errs ast.Errors) []problem {
	list := make([]problem, 0, len(errs))
	for _, e := range errs {
		list = append(list, at(e.Location, e.Code, e.Message))
	}
	slices.SortStableFunc(list, func(a, b problem) int {
		return cmp.Or(cmp.Compare(a.File, b.File), cmp.Compare(a.Row, b.Row), cmp.Compare(a.Col, b.Col))
	})
	return slices.Compact(list)
}

package main

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"github.com/open-policy-agent/opa/v1/ast"
	"github.com/open-policy-agent/opa/v1/cover"
	"github.com/open-policy-agent/opa/v1/tester"
)

type tested struct {
	Results  []testResult   `json:"results"`
	Coverage []fileCoverage `json:"coverage"`
}

type testResult struct {
	File    string `json:"file"`
	Row     int    `json:"row"`
	Package string `json:"package"`
	Name    string `json:"name"`
	// Outcome is pass, fail, skip or error.
	Outcome string `json:"outcome"`
	Error   string `json:"error,omitempty"`
	// Output is what print() wrote.
	Output       string  `json:"output,omitempty"`
	Milliseconds float64 `json:"milliseconds"`
}

type fileCoverage struct {
	File    string  `json:"file"`
	Percent float64 `json:"percent"`
	// Uncovered are ranges of rows, both ends included.
	Uncovered [][2]int `json:"uncovered"`
}

func testVerb(ctx context.Context, req *request) (any, error) {
	s, err := load(req, true)
	if err != nil {
		return nil, err
	}
	store := s.store()
	txn, err := store.NewTransaction(ctx)
	if err != nil {
		return nil, err
	}
	defer store.Abort(ctx, txn)
	covered := cover.New()
	results, err := tester.NewRunner().
		SetCompiler(ast.NewCompiler().WithCapabilities(s.caps).WithEnablePrintStatements(true).SetErrorLimit(0)).
		SetStore(store).
		SetModules(s.modules).
		SetParallel(1).
		CapturePrintOutput(true).
		SetCoverageQueryTracer(covered).
		RunTests(ctx, txn)
	if err != nil {
		return nil, err
	}
	return tested{Results: collect(results), Coverage: s.coverage(covered)}, nil
}

func collect(results chan *tester.Result) []testResult {
	list := []testResult{}
	for r := range results {
		list = append(list, fromResult(r))
	}
	slices.SortStableFunc(list, func(a, b testResult) int {
		return cmp.Or(cmp.Compare(a.File, b.File), cmp.Compare(a.Row, b.Row))
	})
	return list
}

func fromResult(r *tester.Result) testResult {
	out := testResult{
		File:         r.Location.File,
		Row:          r.Location.Row,
		Package:      strings.TrimPrefix(r.Package, "data."),
		Name:         r.Name,
		Outcome:      "pass",
		Output:       string(r.Output),
		Milliseconds: float64(r.Duration.Microseconds()) / 1000,
	}
	switch {
	case r.Skip:
		out.Outcome = "skip"
	case r.Error != nil:
		out.Outcome, out.Error = "error", r.Error.Error()
	case r.Fail:
		out.Outcome = "fail"
	}
	return out
}

// coverage reports on the policy only: tests cover themselves.
func (s *source) coverage(c *cover.Cover) []fileCoverage {
	list := []fileCoverage{}
	for file, report := range c.Report(s.modules).Files {
		if strings.HasSuffix(file, testSuffix) {
			continue
		}
		rows := [][2]int{}
		for _, r := range report.NotCovered {
			rows = append(rows, [2]int{r.Start.Row, r.End.Row})
		}
		list = append(list, fileCoverage{File: file, Percent: report.Coverage, Uncovered: joinRows(rows)})
	}
	slices.SortFunc(list, func(a, b fileCoverage) int { return cmp.Compare(a.File, b.File) })
	return list
}

// joinRows merges ranges that touch or overlap.
func joinRows(rows [][2]int) [][2]int {
	slices.SortFunc(rows, func(a, b [2]int) int { return cmp.Compare(a[0], b[0]) })
	joined := [][2]int{}
	for _, r := range rows {
		if n := len(joined); n > 0 && r[0] <= joined[n-1][1]+1 {
			joined[n-1][1] = max(joined[n-1][1], r[1])
			continue
		}
		joined = append(joined, r)
	}
	return joined
}

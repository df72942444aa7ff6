package main

import (
	"slices"

	"github.com/open-policy-agent/opa/v1/ast"
)

// reachable is every rule that evaluating the roots can run, else branches included in their rule.
//
// OPA's v1/dependencies answers a similar question, but it resolves local aliases to find the narrowest
// reference, and a reference it missed would make two different calls share one cached decision. This walk
// takes every mention instead: it may report too much, never too little.
func reachable(c *ast.Compiler, roots []*ast.Rule) []*ast.Rule {
	seen := map[*ast.Rule]bool{}
	queue := slices.Clone(roots)
	var rules []*ast.Rule
	for len(queue) > 0 {
		r := queue[0]
		queue = queue[1:]
		if seen[r] {
			continue
		}
		seen[r] = true
		rules = append(rules, r)
		eachRef(r, func(ref ast.Ref) {
			if ref[0].Equal(ast.DefaultRootDocument) {
				queue = append(queue, c.GetRulesDynamicWithOpts(ref, ast.RulesOptions{IncludeHiddenModules: true})...)
			}
		})
	}
	return rules
}

// eachRef visits every reference to data or input in x, a bare `input` or `data` as a reference of length one.
func eachRef(x any, visit func(ast.Ref)) {
	var v *ast.GenericVisitor
	v = ast.NewGenericVisitor(func(x any) bool {
		switch x := x.(type) {
		case ast.Ref:
			visit(x)
			for _, t := range x[1:] {
				v.Walk(t)
			}
			if _, isVar := x[0].Value.(ast.Var); !isVar {
				v.Walk(x[0])
			}
			return true
		case ast.Var:
			if term := ast.NewTerm(x); ast.RootDocumentNames.Contains(term) {
				visit(ast.Ref{term})
			}
		}
		return false
	})
	v.Walk(x)
}

// inputPaths lists the constant paths below input that the rules mention, shortest first in each branch, and
// whether they read input itself. A path ends where a segment is not a constant string.
func inputPaths(rules []*ast.Rule) (paths [][]string, whole bool) {
	for _, r := range rules {
		eachRef(r, func(ref ast.Ref) {
			if !ref[0].Equal(ast.InputRootDocument) {
				return
			}
			path := constantPath(ref[1:])
			whole = whole || len(path) == 0
			paths = append(paths, path)
		})
	}
	return minimal(paths), whole
}

func constantPath(terms []*ast.Term) []string {
	path := []string{}
	for _, t := range terms {
		s, ok := t.Value.(ast.String)
		if !ok {
			break
		}
		path = append(path, string(s))
	}
	return path
}

// minimal drops a path when a prefix of it is there too.
func minimal(paths [][]string) [][]string {
	slices.SortFunc(paths, slices.Compare)
	kept := [][]string{}
	for _, p := range paths {
		if n := len(kept); n > 0 && hasPrefix(p, kept[n-1]) {
			continue
		}
		kept = append(kept, p)
	}
	return kept
}

func hasPrefix(path, prefix []string) bool {
	return len(path) >= len(prefix) && slices.Equal(path[:len(prefix)], prefix)
}

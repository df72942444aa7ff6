package main

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/open-policy-agent/opa/v1/ast"
)

const (
	entrypoint     = "gatehouse/decision"
	decisionQuery  = "data.gatehouse.decision"
	decisionModule = "the generated decision module"
)

// outputs are the rules of package gateway that make a decision.
var outputs = []string{"allow", "deny", "tags", "mask"}

// later are names this version does not act on. Ignoring an obligation would let through what the
// author meant to hold back, so a policy that defines one is refused.
var later = []string{"redact", "confirm", "limits", "shadow"}

var gatewayPath = ast.MustParseRef("data.gateway")

// definedRules lists the names that package gateway defines, sorted.
func (s *source) definedRules() []string {
	var names []string
	s.eachGatewayRule(func(r *ast.Rule) {
		names = append(names, ruleName(r))
	})
	slices.Sort(names)
	return slices.Compact(names)
}

func (s *source) eachGatewayRule(visit func(*ast.Rule)) {
	for _, m := range s.modules {
		if m.Package.Path.Equal(gatewayPath) {
			for _, r := range m.Rules {
				visit(r)
			}
		}
	}
}

func ruleName(r *ast.Rule) string {
	return strings.Trim(r.Head.Ref()[0].String(), `"`)
}

// checkContract refuses what the gateway could not honour.
func (s *source) checkContract() error {
	var found []problem
	for _, m := range s.modules {
		found = append(found, checkPackage(m.Package)...)
	}
	s.eachGatewayRule(func(r *ast.Rule) {
		found = append(found, checkRule(r)...)
	})
	if len(found) == 0 && !slices.Contains(s.definedRules(), "allow") {
		found = append(found, s.noAllow())
	}
	if len(found) == 0 {
		return nil
	}
	sortProblems(found)
	return problemList(found)
}

func checkPackage(p *ast.Package) []problem {
	if p.Path.HasPrefix(ast.MustParseRef("data.gatehouse")) {
		return []problem{at(p.Location, "reserved_package", "package gatehouse is the gateway's own; write package gateway")}
	}
	if len(p.Path) > 2 && p.Path.HasPrefix(gatewayPath) {
		if name, ok := p.Path[2].Value.(ast.String); ok && slices.Contains(later, string(name)) {
			return []problem{at(p.Location, "unsupported_output", unsupported("package gateway."+string(name)))}
		}
	}
	return nil
}

func checkRule(r *ast.Rule) []problem {
	name := ruleName(r)
	if slices.Contains(later, name) {
		return []problem{at(r.Location, "unsupported_output", unsupported("rule "+name))}
	}
	if slices.Contains(outputs, name) && len(r.Head.Args) > 0 {
		return []problem{at(r.Location, "output_is_function", fmt.Sprintf("%s must be a rule, not a function", name))}
	}
	return nil
}

func unsupported(what string) string {
	return what + " is not supported by this version of the gateway, and ignoring it would not be safe"
}

func (s *source) noAllow() problem {
	names := make([]string, 0, len(s.modules))
	for name, m := range s.modules {
		if m.Package.Path.Equal(gatewayPath) {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	if len(names) == 0 {
		return problem{Code: "no_allow", Message: "no file has package gateway, so every call would be denied"}
	}
	return problem{File: names[0], Row: 1, Col: 1, Code: "no_allow", Message: "package gateway defines no rule allow, so every call would be denied"}
}

// addDecision adds the module behind the one entrypoint: an object of those outputs that are defined.
func (s *source) addDecision() {
	var text strings.Builder
	text.WriteString("package gatehouse\n")
	defined := s.definedRules()
	for _, name := range outputs {
		if slices.Contains(defined, name) {
			fmt.Fprintf(&text, "decision[%q] := data.gateway.%s\n", name, name)
		}
	}
	s.modules[decisionModule] = ast.MustParseModuleWithOpts(text.String(), ast.ParserOptions{RegoVersion: ast.RegoV1})
}

func sortProblems(list []problem) {
	slices.SortStableFunc(list, func(a, b problem) int {
		return cmp.Or(cmp.Compare(a.File, b.File), cmp.Compare(a.Row, b.Row), cmp.Compare(a.Col, b.Col))
	})
}

package main

import (
	"fmt"

	"github.com/open-policy-agent/opa/v1/util"
)

// dataFile is one data.json or data.yaml; Path are the folders between the policy root and it.
type dataFile struct {
	File string   `json:"file"`
	Path []string `json:"path"`
	Text string   `json:"text"`
}

// mergeData builds the data document. Two files may share folders, never a value.
func mergeData(files []dataFile) (map[string]any, []problem) {
	root := map[string]any{}
	var found []problem
	for _, f := range files {
		if err := f.mergeInto(root); err != nil {
			found = append(found, problem{File: f.File, Code: "data_error", Message: err.Error()})
		}
	}
	return root, found
}

func (f dataFile) mergeInto(root map[string]any) error {
	var value any
	if err := util.Unmarshal([]byte(f.Text), &value); err != nil {
		return err
	}
	object, ok := value.(map[string]any)
	if !ok {
		return fmt.Errorf("the document must be an object")
	}
	for i := len(f.Path) - 1; i >= 0; i-- {
		object = map[string]any{f.Path[i]: object}
	}
	if key, clash := merge(root, object, "data"); clash {
		return fmt.Errorf("%s has a value from another file already", key)
	}
	return nil
}

func merge(into, from map[string]any, at string) (string, bool) {
	for key, value := range from {
		here := at + "." + key
		old, exists := into[key]
		if !exists {
			into[key] = value
			continue
		}
		a, okA := old.(map[string]any)
		b, okB := value.(map[string]any)
		if !okA || !okB {
			return here, true
		}
		if key, clash := merge(a, b, here); clash {
			return key, true
		}
	}
	return "", false
}

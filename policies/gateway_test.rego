# Tests of the starter policy: `gatehouse policy test`.
package gateway_test

import data.gateway

annotations(read_only) := {
	"readOnlyHint": read_only,
	"destructiveHint": true,
	"idempotentHint": false,
	"openWorldHint": true,
}

principal(kind, roles) := {
	"id": "someone",
	"kind": kind,
	"roles": roles,
	"groups": [],
	"scopes": [],
	"claims": {},
}

local := principal("anonymous", [])

admin := principal("api-key", ["admin"])

reader := principal("api-key", ["reader"])

nobody := principal("api-key", [])

# A request for a tool; the tests change what they are about.
call(who, upstream, tool) := {
	"phase": "request",
	"method": "tools/call",
	"principal": who,
	"upstream": {"id": upstream, "transport": "stdio", "labels": {}},
	"target": {"kind": "tool", "name": tool, "annotations": annotations(false), "claims": {}},
	"arguments": {},
}

in_phase(phase, input_) := object.union(input_, {"phase": phase})

write(who, path) := object.union(call(who, "files", "write_file"), {"arguments": {"path": path, "content": "x"}})

is_refused(request) if {
	gateway.allow with input as request
	count(gateway.deny) == 1 with input as request
}

test_local_caller_may_use_everything if {
	every tool in ["echo", "get-env"] {
		gateway.allow with input as call(local, "everything", tool)
	}
	gateway.allow with input as in_phase("list", call(local, "files", "write_file"))
	gateway.allow with input as in_phase("response", call(local, "memory", "read_graph"))
}

test_key_without_a_role_may_use_nothing if {
	every phase in ["list", "request", "response"] {
		not gateway.allow with input as in_phase(phase, call(nobody, "everything", "echo"))
	}
}

test_admin_sees_what_is_hidden_from_others if {
	every who in [local, reader, nobody] {
		not gateway.allow with input as in_phase("list", call(who, "memory", "delete_entities"))
		not gateway.allow with input as call(who, "memory", "delete_entities")
	}
	gateway.allow with input as in_phase("list", call(admin, "memory", "delete_entities"))
	gateway.allow with input as call(admin, "memory", "delete_entities")
}

test_reader_may_read if {
	gateway.allow with input as call(reader, "files", "read_text_file")
	gateway.allow with input as in_phase("list", call(reader, "memory", "read_graph"))
}

test_reader_may_not_write if {
	not gateway.allow with input as call(reader, "files", "write_file")
	not gateway.allow with input as in_phase("list", call(reader, "memory", "create_entities"))
}

test_reader_may_use_a_tool_marked_read_only if {
	marked := object.union(call(reader, "other", "look"), {"target": {"annotations": annotations(true)}})
	gateway.allow with input as marked
	not gateway.allow with input as call(reader, "other", "look")
}

test_names_count_per_upstream if {
	not gateway.allow with input as call(reader, "other", "read_text_file")
}

test_reader_may_read_resources_and_prompts if {
	every kind in ["resource", "template", "prompt"] {
		request := object.union(call(reader, "everything", "x"), {"target": {"kind": kind}})
		gateway.allow with input as request
	}
}

test_reader_may_complete_without_a_target if {
	gateway.allow with input as object.remove(call(reader, "everything", "x"), {"target"})
	not gateway.allow with input as object.remove(call(nobody, "everything", "x"), {"target"})
}

test_ordinary_paths_are_written if {
	count(gateway.deny) == 0 with input as write(local, "notes/today.txt")
}

test_paths_that_climb_are_refused if {
	is_refused(write(local, "../outside.txt"))
	is_refused(write(admin, "notes/../../outside.txt"))
}

test_env_files_are_refused if {
	is_refused(write(local, ".env"))
	is_refused(write(local, "app/production.env"))
}

test_paths_that_are_no_text_are_refused if {
	is_refused(write(local, ["../outside.txt"]))
	is_refused(write(local, null))
	is_refused(call(local, "files", "edit_file"))
}

test_refused_arguments_do_not_hide_the_tool if {
	count(gateway.deny) == 0 with input as in_phase("list", object.remove(write(local, "x"), {"arguments"}))
}

test_writes_are_tagged_and_masked if {
	gateway.tags == {"write"} with input as write(local, "notes.txt")
	gateway.mask == {"content"} with input as write(local, "notes.txt")
	gateway.tags == set() with input as call(local, "files", "read_text_file")
	gateway.mask == set() with input as call(local, "files", "read_text_file")
}

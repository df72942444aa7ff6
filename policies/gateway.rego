# The starter policy: who may use what.
#
# A call is allowed when at least one `allow` rule below says so and no `deny` rule objects.
# Everything that no rule mentions is denied. Try a change with
#
#     gatehouse policy check && gatehouse policy test
#
# docs/policy.md lists what `input` holds and what else a rule can answer.
package gateway

# METHODS: what a caller does. PHASES: when the policy is asked.
#   list      may this caller know that it exists? (no arguments yet)
#   request   may this call run?
#   response  may what the server sends back reach the caller?

default allow := false

# --- Who ------------------------------------------------------------------------------------------------------------

# Without configured API keys the gateway listens on this machine only, and its one caller is "anonymous".
local if input.principal.kind == "anonymous"

admin if "admin" in input.principal.roles

reader if "reader" in input.principal.roles

# --- What -----------------------------------------------------------------------------------------------------------

# Local callers and administrators: everything, except what is hidden below.
allow if {
	unrestricted
	not hidden
}

unrestricted if local

unrestricted if admin

# Readers: tools that only read, and every resource and prompt.
allow if {
	reader
	reads_only
	not hidden
}

reads_only if input.target.annotations.readOnlyHint

# Tools that are known to only read, for servers whose own word is not taken (trustAnnotations: false).
reads_only if input.target.name in read_only_tools[input.upstream.id]

reads_only if input.target.kind in {"resource", "template", "prompt"}

# Requests without a target, such as the completion of an argument.
reads_only if not input.target.name

read_only_tools := {
	"everything": {"echo", "get-sum", "get-tiny-image"},
	"files": {
		"directory_tree",
		"get_file_info",
		"list_allowed_directories",
		"list_directory",
		"list_directory_with_sizes",
		"read_file",
		"read_media_file",
		"read_multiple_files",
		"read_text_file",
		"search_files",
	},
	"memory": {"open_nodes", "read_graph", "search_nodes"},
}

# --- What nobody else may even see ----------------------------------------------------------------------------------

# A hidden tool answers like one that does not exist. Only administrators may wipe the memory.
hidden if {
	input.upstream.id == "memory"
	input.target.name in {"delete_entities", "delete_observations", "delete_relations"}
	not admin
}

# --- What is visible, but not with these arguments --------------------------------------------------------------------

# The text goes to the caller, so that a person or a model knows what to do instead.
deny contains "Paths with \"..\" are not written to: name the file directly." if {
	writes_file
	contains(input.arguments.path, "..")
}

deny contains "Files named .env hold secrets and are not written through the gateway." if {
	writes_file
	endswith(input.arguments.path, ".env")
}

# A path that is no text is refused too: the rules above would say nothing about it.
deny contains "The path must be a text." if {
	writes_file
	not path_is_text
}

# In a rule of its own: "not is_string(input.arguments.path)" would say nothing about a path that is missing.
path_is_text if is_string(input.arguments.path)

writes_file if {
	input.phase == "request"
	input.upstream.id == "files"
	input.target.name in {"write_file", "edit_file"}
}

# --- For the audit log -----------------------------------------------------------------------------------------------

# Marks the record of every call that can change something.
tags contains "write" if {
	input.phase == "request"
	input.target.kind == "tool"
	not reads_only
}

# What is written to files is not kept in the audit log.
mask contains "content" if writes_file

"""The Python SDK as a client: reads targets from stdin, writes one JSON line for each feature tried.

`client.py MODE`, where MODE is `legacy` or `auto` (the modern era first).
"""

import json
import sys
from contextlib import asynccontextmanager
from pathlib import Path

import anyio
import mcp_types as types
from mcp import Client, StdioServerParameters
from mcp.client.sse import sse_client

# Seconds for a message, and for an answer: a server may have to be started first.
PATIENCE = 3
START = 20
NAME = "Ωmega"
MODE = sys.argv[1]


def dump(result) -> str:
    return json.dumps(result.model_dump(mode="json", by_alias=True), ensure_ascii=False)


def check(result, expected: str) -> None:
    text = dump(result)
    if getattr(result, "is_error", False) or expected not in text:
        raise AssertionError(text[:300])


async def until(condition) -> None:
    with anyio.fail_after(PATIENCE):
        while not condition():
            await anyio.sleep(0.01)


async def elicited(context, params) -> types.ElicitResult:
    return types.ElicitResult(action="accept", content={"name": NAME})


class Tried:
    """One connection, and a method for each feature; `offer` is what the server has for it."""

    def __init__(self, client: Client, logged: list[str]) -> None:
        self.client = client
        self.logged = logged

    async def call(self, offer, **options) -> None:
        check(await self.client.call_tool(offer["name"], offer["arguments"], **options), offer["expect"])

    async def tools(self, offer) -> None:
        check(await self.client.list_tools(), f'"{offer["name"]}"')

    tool = unicode = elicitation = call

    async def progress(self, offer) -> None:
        seen = []

        async def report(progress, total, message) -> None:
            seen.append(progress)

        await self.call(offer, progress_callback=report)
        await until(lambda: len(seen) >= offer["steps"])

    async def logging(self, offer) -> None:
        try:
            await self.client.set_logging_level("debug")
        except Exception:
            pass  # the modern era has no such request, and not every server of the legacy era has it
        await self.call(offer)
        await until(lambda: any(offer["logged"] in text for text in self.logged))

    async def resource(self, offer) -> None:
        check(await self.client.read_resource(offer["uri"]), offer["expect"])

    async def prompt(self, offer) -> None:
        check(await self.client.get_prompt(offer["name"], offer["arguments"]), offer["expect"])

    async def completion(self, offer) -> None:
        ref = types.PromptReference(type="ref/prompt", name=offer["name"])
        check(await self.client.complete(ref, offer["argument"]), offer["expect"])

    async def cancellation(self, offer) -> None:
        file = offer["arguments"]["file"]
        async with anyio.create_task_group() as group:
            group.start_soon(self.client.call_tool, offer["name"], offer["arguments"])
            await until(Path(f"{file}.started").exists)
            group.cancel_scope.cancel()
        await until(Path(f"{file}.cancelled").exists)


def transport(target):
    if "command" in target:
        return StdioServerParameters(command=target["command"], args=target["args"], env=target["env"])
    return sse_client(target["url"]) if target.get("sse") else target["url"]


@asynccontextmanager
async def connect(target):
    logged: list[str] = []

    async def log(params) -> None:
        logged.append(str(params.data))

    options = {"elicitation_callback": elicited, "logging_callback": log, "log_level": "debug", "mode": MODE}
    async with Client(transport(target), read_timeout_seconds=START, **options) as client:
        yield Tried(client, logged)


def report(target, feature: str, error: BaseException | None) -> None:
    while isinstance(error, BaseExceptionGroup):
        error = error.exceptions[0]
    detail = "" if error is None else f"{type(error).__name__}: {error}"[:300]
    print(json.dumps({"target": target["id"], "feature": feature, "ok": error is None, "detail": detail}), flush=True)


async def run(target) -> None:
    try:
        async with connect(target) as tried:
            for feature, offer in target["offers"].items():
                try:
                    with anyio.fail_after(START + PATIENCE):
                        await getattr(tried, feature)(offer)
                    report(target, feature, None)
                except Exception as error:
                    report(target, feature, error)
    except Exception as error:
        report(target, "connect", error)


async def main() -> None:
    for target in json.load(sys.stdin):
        await run(target)


anyio.run(main)

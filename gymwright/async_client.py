"""AsyncClient: the one implementation of talking to a gateway."""

from __future__ import annotations

import asyncio
import unicodedata
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Iterator
from contextlib import aclosing
from pathlib import Path
from typing import TYPE_CHECKING, Final, TypeVar

import grpc

from gymwright.channels import open_channel
from gymwright.downloads import MAX_FILES, DownloadRefused, landing
from gymwright.errors import GymwrightError, ProblemRejected, ServiceUnavailable, TryAgainLater
from gymwright.failures import error_of, translated
from gymwright.run_ids import checked_run_id, new_run_id
from gymwright.tls import MutualTls
from gymwright.v1 import design_pb2, findings_pb2, gateway_pb2
from gymwright.v1.gateway_pb2_grpc import GatewayServiceStub
from gymwright.views import Artifact, Review, Run, RunEvent, RunOptions, RunPage

if TYPE_CHECKING:
    from gymwright.v1.gateway_pb2_grpc import GatewayServiceAsyncStub

T = TypeVar("T")
Q = TypeVar("Q")

GATEWAY: Final = "127.0.0.1:50050"
MAX_PROBLEM_CHARACTERS: Final = 20_000
CALL_S: Final = 20.0  # the deadline of a short call
CALL_PATIENCE_S: Final = 1.5  # how long a short call is tried again while nothing answers
LONGEST_PAUSE_S: Final = 3.0


def ignore(away: GymwrightError) -> None:
    """Nobody wants to hear that the gateway is away for now."""


class AsyncClient:
    """Talks to one gateway. Every failure is an error of gymwright.errors.

    Make it while an event loop runs. Short calls are tried again for a moment while the gateway is
    away (all of them may be repeated safely); streams pick up where they broke off, and give up only
    when nothing came for patience_s.
    """

    def __init__(
        self,
        gateway: str = GATEWAY,
        token: str | None = None,
        patience_s: float = 60.0,
        tls: MutualTls | None = None,
    ) -> None:
        self._whom = f"the gateway at {gateway}"
        self._patience_s = patience_s
        self._channel = open_channel(gateway, token, tls)
        self._stub = _stub(self._channel)

    async def __aenter__(self) -> AsyncClient:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()

    async def close(self) -> None:
        await self._channel.close()

    async def start(self, problem: str, options: RunOptions | None = None, run_id: str | None = None) -> Run:
        """Start a run; it goes on whether or not anyone watches. The same run_id again returns the same run.

        ProblemRejected, RequestWrong.
        """
        check_problem(problem)
        request = gateway_pb2.StartRunRequest(
            problem=problem,
            options=(options or RunOptions()).to_proto(),
            run_id=checked_run_id(run_id) if run_id else new_run_id(problem),
        )
        return Run.of((await self._answer(self._stub.StartRun, request)).run)

    async def get(self, run_id: str) -> Run:
        """The run as it stands. RunNotFound."""
        request = gateway_pb2.GetRunRequest(run_id=checked_run_id(run_id))
        return Run.of((await self._answer(self._stub.GetRun, request)).run)

    async def list(self, page_size: int = 50, page_token: str = "") -> RunPage:
        """One page of runs, newest first; page_size is 1 to 200, page_token comes from the page before."""
        request = gateway_pb2.ListRunsRequest(page_size=page_size, page_token=page_token)
        page = await self._answer(self._stub.ListRuns, request)
        return RunPage(tuple(Run.of(run) for run in page.runs), page.next_page_token)

    async def cancel(self, run_id: str) -> Run:
        """Ask a run to stop. RunIsOver, RunNotFound."""
        request = gateway_pb2.CancelRunRequest(run_id=checked_run_id(run_id))
        return Run.of((await self._answer(self._stub.CancelRun, request)).run)

    async def answer(self, run_id: str, answer: str) -> Run:
        """Answer the designer's question; the run goes on. NotReady, RequestWrong, RunNotFound."""
        request = gateway_pb2.AnswerQuestionRequest(run_id=checked_run_id(run_id), answer=answer)
        return Run.of((await self._answer(self._stub.AnswerQuestion, request)).run)

    async def review(self, run_id: str, design: design_pb2.EnvDesign | None = None) -> Review:
        """Accept the design of a run that is REVIEWING, or replace it with an edited one.

        DesignRejected, NotReady, RunNotFound.
        """
        request = gateway_pb2.ReviewDesignRequest(run_id=checked_run_id(run_id), design=design)
        answer = await self._answer(self._stub.ReviewDesign, request)
        return Review(Run.of(answer.run), tuple(answer.findings))

    async def check(
        self, source: str, class_name: str = "", design: design_pb2.EnvDesign | None = None, seed: int = 0
    ) -> AsyncIterator[str | findings_pb2.Finding | findings_pb2.CheckReport]:
        """Check an environment in a throwaway box: each group's name and each finding as it comes, then the report.

        class_name: empty for Environment, or the only Env subclass. Closing the iterator ends the check.
        RequestWrong, TryAgainLater.
        """
        request = gateway_pb2.CheckEnvironmentRequest(source=source, class_name=class_name, design=design, seed=seed)
        async with aclosing(self._stream(self._stub.CheckEnvironment(request))) as responses:
            async for response in responses:
                match response.WhichOneof("said"):
                    case "group":
                        yield response.group
                    case "finding":
                        yield response.finding
                    case "report":
                        yield response.report

    async def artifacts(self, run_id: str) -> tuple[Artifact, ...]:
        """The run's files, by name. RunNotFound."""
        request = gateway_pb2.ListArtifactsRequest(run_id=checked_run_id(run_id))
        return tuple(map(Artifact.of, (await self._answer(self._stub.ListArtifacts, request)).artifacts))

    async def watch(
        self, run_id: str, after: int = 0, on_away: Callable[[GymwrightError], None] = ignore
    ) -> AsyncIterator[RunEvent]:
        """Every event after number `after`, once and in order; ends when the run rests.

        A broken stream is resumed after the last event seen; on_away hears of each break.
        """
        checked_run_id(run_id)
        seen, at_rest = after, False
        pauses = _pauses(self._patience_s)
        while True:
            try:
                request = gateway_pb2.WatchRunRequest(run_id=run_id, after_sequence=seen)
                async with aclosing(self._stream(self._stub.WatchRun(request))) as responses:
                    async for response in responses:
                        event = RunEvent.of(response.event)
                        if event.sequence <= seen:
                            continue
                        if event.sequence != seen + 1:
                            raise ServiceUnavailable(f"Event {seen + 1} of run {run_id} did not arrive.")
                        seen, at_rest = event.sequence, event.state.at_rest
                        pauses = _pauses(self._patience_s)
                        yield event
                if at_rest or (await self.get(run_id)).state.at_rest:
                    return
                raise ServiceUnavailable(f"The events of run {run_id} stopped, but it goes on.")
            except TryAgainLater as away:
                await _pause(pauses, away, on_away)

    async def read_artifact(
        self, run_id: str, name: str, offset: int = 0, on_away: Callable[[GymwrightError], None] = ignore
    ) -> AsyncIterator[bytes]:
        """An artifact's bytes from `offset`, in chunks; a broken stream is resumed. ArtifactNotFound, RunNotFound."""
        checked_run_id(run_id)
        pauses = _pauses(self._patience_s)
        while True:
            try:
                request = gateway_pb2.ReadArtifactRequest(run_id=run_id, name=name, offset=offset)
                async with aclosing(self._stream(self._stub.ReadArtifact(request))) as responses:
                    async for response in responses:
                        offset += len(response.chunk)
                        pauses = _pauses(self._patience_s)
                        yield response.chunk
                return
            except TryAgainLater as away:
                await _pause(pauses, away, on_away)

    async def download(self, run_id: str, into: Path | str) -> tuple[Path, ...]:
        """Write every artifact of the run under the folder `into`, sizes and checksums verified.

        Files appear when complete; what is already there with the right checksum is written again.
        """
        artifacts = await self.artifacts(run_id)
        if len(artifacts) > MAX_FILES:
            raise DownloadRefused(f"The run offers {len(artifacts)} files, more than the {MAX_FILES} that are taken.")
        return tuple([await self.download_one(run_id, artifact, into) for artifact in artifacts])

    async def download_one(self, run_id: str, artifact: Artifact, into: Path | str) -> Path:
        """Write one artifact under the folder `into`."""
        with landing(artifact, Path(into)) as (place, arriving):
            async for chunk in self.read_artifact(run_id, artifact.name):
                arriving.write(chunk)
        return place

    async def _answer(self, call: grpc.aio.UnaryUnaryMultiCallable[Q, T], request: Q) -> T:
        pauses = _pauses(CALL_PATIENCE_S)
        while True:
            try:
                with translated(self._whom):
                    return await call(request, timeout=CALL_S)
            except TryAgainLater as away:
                await _pause(pauses, away, ignore)

    async def _stream(self, call: grpc.aio.UnaryStreamCall[Q, T]) -> AsyncGenerator[T, None]:
        try:
            async for response in call:
                yield response
        except grpc.RpcError as failure:
            raise _broken(failure, self._whom) from None
        finally:
            call.cancel()


def check_problem(problem: str) -> None:
    """Spare the gateway what it would refuse."""
    if not problem.strip():
        raise ProblemRejected("The problem is empty; say in a sentence or more what the agent should learn.")
    if len(problem) > MAX_PROBLEM_CHARACTERS:
        raise ProblemRejected(f"The problem is over {MAX_PROBLEM_CHARACTERS:,} characters long; shorten it.")
    if any(unicodedata.category(sign) in ("Cc", "Cs") and sign not in "\n\r\t\f" for sign in problem):
        raise ProblemRejected("The problem is not text: it holds bytes or control characters that no text has.")


def _stub(channel: grpc.aio.Channel) -> GatewayServiceAsyncStub:
    return GatewayServiceStub(channel)  # the asynchronous stub is a name for type checkers only


def _broken(failure: grpc.RpcError, whom: str) -> GymwrightError:
    """A stream that the gateway's stop cut off is resumed, whatever status the cut left."""
    if isinstance(failure, grpc.aio.AioRpcError) and failure.code() is grpc.StatusCode.CANCELLED:
        return ServiceUnavailable(f"{whom[0].upper()}{whom[1:]} broke off.")
    return error_of(failure, whom)


def _pauses(patience_s: float) -> Iterator[float]:
    """Doubling pauses of at most LONGEST_PAUSE_S, together about patience_s."""
    pause = 0.1
    while patience_s > 0:
        yield min(pause, patience_s)
        patience_s -= pause
        pause = min(2 * pause, LONGEST_PAUSE_S)


async def _pause(pauses: Iterator[float], away: TryAgainLater, on_away: Callable[[GymwrightError], None]) -> None:
    """Wait for the next pause, or raise `away` when patience has run out."""
    pause = next(pauses, None)
    if pause is None:
        raise away
    on_away(away)
    await asyncio.sleep(pause)

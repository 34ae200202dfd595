"""The one table from our errors to HTTP's statuses; subclasses inherit their parent's row."""

from __future__ import annotations

from typing import Final

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse
from starlette.exceptions import HTTPException

from gymwright.errors import (
    GymwrightError,
    NotFound,
    NotReady,
    PayloadTooLarge,
    RequestWrong,
    TryAgainLater,
    Unauthenticated,
)

STATUS_OF: Final[dict[type[GymwrightError], int]] = {
    RequestWrong: 400,
    PayloadTooLarge: 413,
    NotReady: 409,
    NotFound: 404,
    Unauthenticated: 401,
    TryAgainLater: 503,
    GymwrightError: 500,
}
HEADERS_OF: Final[dict[int, dict[str, str]]] = {401: {"WWW-Authenticate": "Bearer"}, 503: {"Retry-After": "5"}}
SHOWN: Final = 5  # complaints about one request


def answer_to(error: GymwrightError) -> JSONResponse:
    status = next(STATUS_OF[kind] for kind in type(error).__mro__ if kind in STATUS_OF)
    return _answer(status, type(error).__name__, str(error))


def tell_errors(app: FastAPI) -> None:
    """Every failure leaves as {"error", "message"}; what we did not foresee says nothing of itself."""

    @app.exception_handler(GymwrightError)
    async def foreseen(request: Request, error: GymwrightError) -> JSONResponse:
        return answer_to(error)

    @app.exception_handler(RequestValidationError)
    async def schema(request: Request, error: RequestValidationError) -> JSONResponse:
        said = [f"{'.'.join(map(str, each['loc']))}: {each['msg']}" for each in error.errors()[:SHOWN]]
        return _answer(422, RequestWrong.__name__, "; ".join(said))

    @app.exception_handler(HTTPException)
    async def routing(request: Request, error: HTTPException) -> JSONResponse:
        kind = NotFound if error.status_code == 404 else RequestWrong
        return _answer(error.status_code, kind.__name__, f"{error.detail}; /openapi.json shows what there is.")

    @app.exception_handler(Exception)
    async def unforeseen(request: Request, error: Exception) -> JSONResponse:
        return _answer(500, GymwrightError.__name__, "An unforeseen failure; the gateway's log has the details.")


def _answer(status: int, name: str, message: str) -> JSONResponse:
    return JSONResponse({"error": name, "message": message}, status, HEADERS_OF.get(status))

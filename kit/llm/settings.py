"""Which language model is at work: read once at a room's door, and what follows from the keys that are set."""

from __future__ import annotations

import os
from enum import StrEnum
from pathlib import Path
from typing import Final

from pydantic import (
    DirectoryPath,
    Field,
    NonNegativeFloat,
    NonNegativeInt,
    PositiveFloat,
    PositiveInt,
    SecretStr,
    ValidationError,
)
from pydantic_settings import BaseSettings, SettingsConfigDict

from gymwright.errors import ModelUnusable
from kit.llm.asking import AskModel
from kit.llm.chat import ChatModel
from kit.llm.line import Effort, Line
from kit.llm.prices import Price, price_of
from kit.llm.recording import RecordingModel, ReplayModel
from kit.llm.spending import Ceiling
from kit.settings import SettingsWrong

PREFIX: Final = "GYMWRIGHT_MODEL_"


class Vendor(StrEnum):
    ANTHROPIC = "anthropic"
    OPENAI = "openai"


DEFAULT_NAMES: Final = {Vendor.ANTHROPIC: "claude-opus-5-5", Vendor.OPENAI: "gpt-6.1-sol"}


class ModelSettings(BaseSettings):
    """GYMWRIGHT_MODEL_VENDOR, _NAME, _EFFORT, ... (docs/models.md), and the vendors' own keys and addresses."""

    model_config = SettingsConfigDict(
        env_prefix=PREFIX, frozen=True, extra="ignore", env_ignore_empty=True, populate_by_name=True
    )

    vendor: Vendor | None = None  # where both keys are set: Anthropic, unless this says otherwise
    name: str | None = None
    effort: Effort | None = None  # None: the model's own
    silence_s: PositiveFloat = 120.0
    wall_s: PositiveFloat = 300.0
    retries: NonNegativeInt = 4
    max_tokens: PositiveInt = 32_000  # of one answer, thinking included
    ceiling_tokens: PositiveInt = 400_000  # of one design, revision, draft or repair, with all its tries
    ceiling_usd: PositiveFloat | None = None
    price_input: NonNegativeFloat | None = None  # US dollars for a million tokens; for a model or server that
    price_output: NonNegativeFloat | None = None  # the table of prices does not have
    ask: Path | None = None  # a folder in which somebody answers
    record: Path | None = None  # a folder to keep every exchange in
    replay: DirectoryPath | None = None  # a folder of such exchanges to serve

    anthropic_key: SecretStr | None = Field(default=None, validation_alias="ANTHROPIC_API_KEY")
    anthropic_url: str | None = Field(default=None, validation_alias="ANTHROPIC_BASE_URL")
    openai_key: SecretStr | None = Field(default=None, validation_alias="OPENAI_API_KEY")
    openai_url: str | None = Field(default=None, validation_alias="OPENAI_BASE_URL")

    @property
    def ceiling(self) -> Ceiling:
        return Ceiling(tokens=self.ceiling_tokens, usd=self.ceiling_usd)


def read_model_settings() -> ModelSettings:
    """An unknown or invalid GYMWRIGHT_MODEL_ variable stops the start with a sentence."""
    own = [name for name, field in ModelSettings.model_fields.items() if field.validation_alias is None]
    known = {f"{PREFIX}{name}".upper() for name in own}
    unknown = sorted(name for name in os.environ if name.startswith(PREFIX) and name not in known)
    if unknown:
        raise SettingsWrong(f"Unknown setting {', '.join(unknown)}; there are {', '.join(sorted(known))}.")
    try:
        return ModelSettings()
    except ValidationError as problem:
        error = problem.errors(include_input=False)[0]
        name = f"{PREFIX}{'_'.join(map(str, error['loc']))}".upper()
        raise SettingsWrong(f"Setting {name}: {error['msg']}.") from None


def choose_model(settings: ModelSettings) -> ChatModel | None:
    """A folder's answers where one is named, else the vendor whose key is set; None where there is neither."""
    if settings.ask is not None:
        return _recorded(settings, AskModel(settings.ask))
    if settings.replay is not None:
        try:
            return ReplayModel(settings.replay)
        except ModelUnusable as problem:
            raise SettingsWrong(f"Setting {PREFIX}REPLAY: {problem}") from None
    vendor = _vendor(settings)
    return None if vendor is None else _recorded(settings, _reached(settings, vendor))


def _vendor(settings: ModelSettings) -> Vendor | None:
    reachable = {
        Vendor.ANTHROPIC: settings.anthropic_key is not None,
        Vendor.OPENAI: settings.openai_key is not None or settings.openai_url is not None,
    }
    if settings.vendor is not None:
        if not reachable[settings.vendor]:
            raise SettingsWrong(
                f"{PREFIX}VENDOR is {settings.vendor}, but {settings.vendor.upper()}_API_KEY isn't set."
            )
        return settings.vendor
    return next((vendor for vendor in Vendor if reachable[vendor]), None)


def _reached(settings: ModelSettings, vendor: Vendor) -> ChatModel:
    """The SDKs take seconds to import, so only the one that is used is."""
    line = _line(settings, vendor)
    if settings.ceiling_usd is not None and line.price is None:
        raise SettingsWrong(
            f"{PREFIX}CEILING_USD can't be kept: the price of {line.name} is not known. Set {PREFIX}PRICE_INPUT and "
            f"{PREFIX}PRICE_OUTPUT, or use {PREFIX}CEILING_TOKENS."
        )
    if vendor is Vendor.ANTHROPIC:
        from kit.llm.anthropic_model import AnthropicModel

        return AnthropicModel(line)
    from kit.llm.openai_model import OpenAIModel

    return OpenAIModel(line)


def _line(settings: ModelSettings, vendor: Vendor) -> Line:
    anthropic = vendor is Vendor.ANTHROPIC
    url = settings.anthropic_url if anthropic else settings.openai_url
    if settings.name is None and url is not None and not anthropic:
        raise SettingsWrong(f"OPENAI_BASE_URL is set; {PREFIX}NAME has to say which of that server's models to use.")
    key = settings.anthropic_key if anthropic else settings.openai_key
    return Line(
        vendor="Anthropic" if anthropic else "OpenAI" if url is None else "The server",
        key=key or SecretStr("none"),  # a local server wants none, but the SDK does
        key_from="ANTHROPIC_API_KEY" if anthropic else "OPENAI_API_KEY",
        name=settings.name or DEFAULT_NAMES[vendor],
        base_url=url,
        effort=settings.effort,
        silence_s=settings.silence_s,
        wall_s=settings.wall_s,
        retries=settings.retries,
        max_tokens=settings.max_tokens,
        price=_price(settings, settings.name or DEFAULT_NAMES[vendor], url),
    )


def _price(settings: ModelSettings, name: str, url: str | None) -> Price | None:
    """The one that is set, else the table's for the vendor's own server."""
    given = settings.price_input, settings.price_output
    if given[0] is not None and given[1] is not None:
        return Price(input=given[0], cached=given[0], written=given[0], output=given[1])
    if given != (None, None):
        raise SettingsWrong(f"{PREFIX}PRICE_INPUT and {PREFIX}PRICE_OUTPUT are set together or not at all.")
    return price_of(name) if url is None else None


def _recorded(settings: ModelSettings, model: ChatModel) -> ChatModel:
    if settings.record is None:
        return model
    keys = (settings.anthropic_key, settings.openai_key)
    return RecordingModel(model, settings.record, tuple(key for key in keys if key is not None))

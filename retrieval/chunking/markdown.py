"""Cuts a Markdown page on its headings: long sections are split, short neighbours joined."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from retrieval.chunking.chunks import Chunk, Part
from retrieval.chunking.embedded import fitting_path, opening
from retrieval.chunking.navigation import without_navigation
from retrieval.chunking.outline import Section, outline
from retrieval.chunking.room import Room
from retrieval.chunking.sizes import Budget
from retrieval.chunking.splitting import split
from retrieval.types import Anchor

Trail = tuple[Section, ...]
"""A section below those that it stands in, outermost first, the page itself left out."""


@dataclass(frozen=True, slots=True)
class _Piece:
    trail: Trail
    text: str
    """Empty where a heading has nothing under it."""
    size: int
    is_whole: bool
    """Whether it is all that stands before the first deeper heading."""


@dataclass(frozen=True, slots=True)
class _Cluster:
    """Pieces that become one passage."""

    pieces: tuple[_Piece, ...]

    @property
    def common(self) -> Trail:
        """The sections that all pieces stand in and whose headings need not be shown among the words."""
        trails = [piece.trail if piece.text else piece.trail[:-1] for piece in self.pieces]
        shared = trails[0]
        for trail in trails[1:]:
            shared = tuple(a for a, b in zip(shared, trail, strict=False) if a is b)
        return shared

    def shown(self) -> Iterator[tuple[_Piece, Trail]]:
        """Each piece with the headings that have to stand above it."""
        above = self.common
        for piece in self.pieces:
            known = sum(1 for a, b in zip(above, piece.trail, strict=False) if a is b)
            yield piece, piece.trail[known:]
            above = piece.trail


@dataclass(frozen=True, slots=True)
class _Cutter:
    title: str
    url: str
    budget: Budget
    count: Callable[[str], int]
    opens_sections: bool

    def clusters(self, section: Section, trail: Trail) -> list[_Cluster]:
        room = self._room(trail)
        texts = [""] if section.is_bare and trail else split(without_navigation(section.text), room)
        clusters = [_Cluster((_Piece(trail, text, room.size(text), len(texts) == 1),)) for text in texts]
        for child in section.children:
            clusters += self.clusters(child, (*trail, child))
        return self._joined(clusters)

    def chunk(self, cluster: _Cluster) -> Chunk:
        return Chunk(self._path(cluster.common), tuple(self._parts(cluster)))

    def _parts(self, cluster: _Cluster) -> Iterator[Part]:
        for piece, headings in cluster.shown():
            for section in headings:
                if self._is_title(section):
                    continue
                yield Part(section.heading, self._opens(section))
            if piece.text:
                yield Part(piece.text, self._opens(piece.trail[-1] if piece.trail else None))

    def _opens(self, section: Section | None) -> Anchor:
        is_open = self.opens_sections and "#" not in self.url
        fragment = f"#{section.slug}" if is_open and section and section.slug else ""
        return Anchor(0, self.url + fragment)

    def _is_title(self, section: Section) -> bool:
        return section.level == 1 and section.title.casefold() == self.title.casefold()

    def _path(self, trail: Trail) -> tuple[str, ...]:
        titles = tuple(section.title for section in trail if section.title and not self._is_title(section))
        return fitting_path(self.title, titles, self.budget.limit // 2, self.count)

    def _room(self, trail: Trail) -> Room:
        whole = self.budget.room(self.count)
        return whole.less(self.count(opening(self.title, self._path(trail))))

    def _joined(self, clusters: Sequence[_Cluster]) -> list[_Cluster]:
        joined: list[_Cluster] = []
        for cluster in clusters:
            both = _Cluster((*joined[-1].pieces, *cluster.pieces)) if joined else cluster
            if joined and self._may_join(joined[-1], cluster) and self._size(both) <= self.budget.target:
                joined[-1] = both
            else:
                joined.append(cluster)
        return joined

    def _may_join(self, one: _Cluster, other: _Cluster) -> bool:
        """Whether one of them is short and none is a piece of a longer section, which a later edit would move about."""
        is_whole = all(piece.is_whole for piece in (*one.pieces, *other.pieces))
        return is_whole and min(_own_size(one), _own_size(other)) < self.budget.least

    def _size(self, cluster: _Cluster) -> int:
        headings = sum(self.count(section.title) for _, shown in cluster.shown() for section in shown)
        return self.count(opening(self.title, self._path(cluster.common))) + headings + _own_size(cluster)


def _own_size(cluster: _Cluster) -> int:
    return sum(piece.size for piece in cluster.pieces)


def cut_markdown(
    text: str, title: str, url: str, budget: Budget, count: Callable[[str], int], opens_sections: bool = True
) -> list[Chunk]:
    """The chunks of a page whose noise has been taken out, in order; none of a page that says only its title."""
    cutter = _Cutter(title, url, budget, count, opens_sections)
    chunks = (cutter.chunk(cluster) for cluster in cutter.clusters(outline(text), ()))
    return [chunk for chunk in chunks if chunk.parts]

"""What the users and items of a table of ratings are called."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from functools import cached_property

from ordinate._checks import InputError


class NamedSides:
    """The two sides of a table, users and items, and what each is called.

    Attributes
    ----------
    user_names, item_names : sequence
        The names, or the range of the numbers.
    """

    user_names: Sequence[Hashable]
    item_names: Sequence[Hashable]

    @property
    def n_users(self) -> int:
        """How many users there are."""
        return len(self.user_names)

    @property
    def n_items(self) -> int:
        """How many items there are."""
        return len(self.item_names)

    def user_number(self, name: Hashable) -> int:
        """Return the number of the user with this name."""
        return _find("user", name, self._user_numbers)

    def item_number(self, name: Hashable) -> int:
        """Return the number of the item with this name."""
        return _find("item", name, self._item_numbers)

    @cached_property
    def _user_numbers(self) -> dict[Hashable, int]:
        return {name: number for number, name in enumerate(self.user_names)}

    @cached_property
    def _item_numbers(self) -> dict[Hashable, int]:
        return {name: number for number, name in enumerate(self.item_names)}


def _find(kind: str, name: Hashable, numbers: dict[Hashable, int]) -> int:
    if name not in numbers:
        some = ", ".join(repr(known) for known in list(numbers)[:3])
        raise InputError(f"There is no {kind} {name!r}; {kind}s are called {some}, ….")
    return numbers[name]

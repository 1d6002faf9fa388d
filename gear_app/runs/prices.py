"""Prices as somebody wrote them down, and what language models took in this workspace."""

from __future__ import annotations

from gear_app.core import Core
from gear_app.llm.prices import Price
from gear_app.store.spending import Spending


class Money(Core):
    """The part of a workspace that knows what things cost."""

    def prices(self) -> dict[str, Price]:
        """The table of prices, by the model's name as its server calls it. Empty as it comes."""
        return self.store.prices.all()

    def set_price(self, model: str, input_: float, output: float) -> None:
        """Write down what a million tokens in and out cost, in dollars; calls from now on have a
        cost. Raises BadInput.

        What was asked before keeps the cost it had.
        """
        self.store.prices.put(model, Price(input_, output))

    def forget_price(self, model: str) -> None:
        """Take a price off the table: what the model costs is unknown again. Raises Unknown."""
        self.store.prices.forget(model)

    def spending(self) -> list[Spending]:
        """What each model took in all runs and extraction jobs, by server and model."""
        return self.store.totals.by_model()

"""What is indexed, how complete and how fresh: counts that add up, for people and for monitors."""

from relore_serve.status.report import facts

__all__ = ["facts"]

"""Times to events: how they are given, step functions as predictions, and the concordance index."""

from streed.survival.concordance import concordance_index, concordance_interval
from streed.survival.steps import StepFunction
from streed.survival.targets import event_and_time, survival_target

__all__ = ["StepFunction", "concordance_index", "concordance_interval", "event_and_time", "survival_target"]

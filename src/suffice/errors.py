"""Error classes; each message says whose data, which row or column, and what to try."""

from __future__ import annotations

from typing import Any, Self

from suffice.text import visible


class SufficeError(Exception):
    """Root of every error raised by this package; control characters in its message are escaped."""

    def __new__(cls, *parts: Any, **options: Any) -> Self:
        """The error with a message that is safe to print."""
        # Also where a library makes one without calling the class, as some do to unpickle it.
        base: Any = OSError if issubclass(cls, OSError) else Exception
        error: Self = base.__new__(
            cls, *(visible(one) if isinstance(one, str) else one for one in parts)
        )
        return error

    def __init__(self, *parts: Any, **options: Any) -> None:
        # Names and values of the data stand in messages, and messages in terminals and logs.
        safe = (visible(one) if isinstance(one, str) else one for one in parts)
        super().__init__(*safe, **options)


class InvalidInput(SufficeError, ValueError):
    """The data handed in cannot be used as it is."""


class InvalidFeatures(InvalidInput):
    """X has the wrong shape or holds something other than real numbers."""


class NotNumbers(InvalidFeatures, TypeError):
    """X holds something that is not a real number."""


class NotFinite(InvalidFeatures):
    """X holds infinite values, or values too large to be squared."""


class HasGaps(NotFinite):
    """X holds missing values where they cannot be used."""


class OutsideGrid(InvalidFeatures):
    """X holds a value that the grid of exact statistics cannot hold."""


class InvalidLabels(InvalidInput):
    """y cannot be read as one class label per row."""


class InvalidWeights(InvalidInput):
    """sample_weight is not one finite, non-negative number per row."""


class InvalidParameter(InvalidInput):
    """A parameter has a value outside its range."""


class BatchFailed(InvalidInput):
    """An iterator of batches stopped with an error; nothing was kept."""


class Mismatch(InvalidInput):
    """Two statistics do not describe the same features, labels or detail."""


class NeverIncluded(InvalidInput):
    """The statistics to remove cannot be part of those they are removed from."""


class LostPrecision(InvalidInput, ArithmeticError):
    """What remains after a removal is smaller than its rounding error."""


class InvalidFile(InvalidInput):
    """A file is not ours, is damaged, or comes from a newer version."""


class UnreadableFile(InvalidFile, OSError):
    """There is something at a path, but not a file that can be read."""


class MissingFile(UnreadableFile, FileNotFoundError):
    """There is no file at a path."""


class UnwritableFile(InvalidFile, OSError):
    """A file cannot be written; what was at its path before is unchanged."""


class MissingFolder(UnwritableFile, FileNotFoundError):
    """There is no folder to write a file to."""


class TooFewRows(InvalidInput):
    """There are not enough rows for the requested model."""


class NoStatistics(InvalidInput, AttributeError):
    """The parameters of the model are known, not estimated, so there are no statistics of rows."""


class MissingClasses(InvalidParameter):
    """Priors name classes of which there has been no row yet."""


class MissingPackage(SufficeError, ImportError):
    """An optional package is not installed."""


class NeedsAllRows(InvalidInput):
    """The request needs all rows in one place, and they are on a cluster."""


class NotOnDevice(InvalidInput):
    """The request is not supported on the device that holds the rows."""


class ChangedInput(InvalidFile):
    """A file is no longer the one of which rows were counted."""


class CheckpointFailed(UnwritableFile):
    """A checkpoint cannot be written; the one before it stays as it was."""


class NotConverged(UserWarning):
    """An iteration was stopped before its estimates were final."""


class RepairedModel(UserWarning):
    """A model could not be estimated as requested; the message says what was done instead."""


class RowsInOtherOrder(UserWarning):
    """X and y of pandas have the same index in different orders; rows are paired by position."""


class ColumnNote(UserWarning):
    """Columns of files are set aside, or some of their cells count as missing."""

"""A thread makes items ahead, at most `depth` of them; errors are raised in their turn."""

from __future__ import annotations

import gc
import threading
import time
import weakref

import pytest

from suffice.data.sources.prefetch import Prefetched


def settled(value, wanted, seconds=30.0):
    """A count, once it has reached the wanted one and had time to go past it."""
    end = time.monotonic() + seconds
    while value() < wanted and time.monotonic() < end:
        time.sleep(0.01)
    time.sleep(0.05)
    return value()


@pytest.mark.parametrize("depth", [1, 2, 5])
def test_no_more_items_are_made_than_said(depth):
    begun = []

    def items():
        for i in range(20):
            begun.append(i)
            yield i

    with Prefetched(items(), depth) as ready:
        for taken, item in enumerate(ready):
            assert item == taken
            wanted = min(20, taken + 1 + depth)
            assert settled(lambda: len(begun), wanted) == wanted
            if taken == 3:
                break


def test_an_error_comes_after_what_was_made_before():
    def items():
        yield 1
        yield 2
        raise KeyError("third")

    seen = []
    with pytest.raises(KeyError, match="third"), Prefetched(items(), 3) as ready:
        seen.extend(ready)
    assert seen == [1, 2]


@pytest.mark.parametrize("taken", [0, 1, 3])
def test_leaving_ends_the_thread(taken):
    before = threading.active_count()
    with Prefetched(iter(range(100)), 2) as ready:
        for _, _ in zip(range(taken), ready, strict=False):
            pass
    assert threading.active_count() == before


def test_leaving_by_an_error_ends_the_thread():
    before = threading.active_count()
    with pytest.raises(ZeroDivisionError), Prefetched(iter(range(100)), 2) as ready:
        1 / (next(ready) * 0)
    assert threading.active_count() == before


def test_an_item_is_released_before_the_next_is_made():
    class Thing:
        pass

    go, alive = threading.Event(), []

    def released():
        gc.collect()
        return alive[0]() is None

    def items():
        thing = Thing()
        alive.append(weakref.ref(thing))
        yield thing
        del thing
        go.wait(30)
        yield settled(released, True)

    with Prefetched(items(), 1) as ready:
        for item in ready:
            if isinstance(item, Thing):
                del item
                go.set()
            else:
                assert item
                return
    pytest.fail("the second item never came")

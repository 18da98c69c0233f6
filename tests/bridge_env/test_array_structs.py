"""Records by address: kernels read them as declared, and other arrays are refused."""

from types import GenericAlias
from typing import Annotated, Any, NamedTuple

import numpy as np
import pytest
from numpy.typing import NDArray

from bridge_env.compiled.array_structs import PointerTable, Schema, writeable
from bridge_env.compiled.jit import njit


class Shop(NamedTuple):
    price: Annotated[NDArray[np.float32], "goods", 3]
    sold: Annotated[NDArray[np.bool_], "goods"]
    open: int
    weight: float
    by_day: Annotated[NDArray[np.int16], 7, "goods"]


class Order(NamedTuple):
    goods: Annotated[NDArray[np.uint64], "wanted"]
    count: Annotated[NDArray[np.int8], "wanted"]


class Delivery(NamedTuple):
    late: Annotated[NDArray[np.int64], "goods"]


SHOP = Schema(Shop, Order, Delivery)
shop_at, order_at, delivery_at = SHOP.reader(Shop), SHOP.reader(Order), SHOP.reader(Delivery)


@njit
def sell(addresses):
    shop, order, delivery = shop_at(addresses), order_at(addresses), delivery_at(addresses)
    total = 0.0
    for i in range(len(order.goods)):
        good = order.goods[i]
        shop.sold[good] = True
        shop.by_day[6, good] += order.count[i]
        total += shop.price[good, 2] * order.count[i] * shop.weight
        delivery.late[good] = shop.open
    return total, len(shop.price), shop.by_day.shape[1], len(shop.sold)


def a_shop(count=5):
    price = np.arange(count * 3, dtype=np.float32).reshape(count, 3)
    return Shop(price, np.zeros(count, np.bool_), 9, 0.5, np.zeros((7, count), np.int16))


def an_order():
    return Order(np.array([4, 1], np.uint64), np.array([2, 3], np.int8))


@pytest.mark.parametrize("array", [np.ndarray[Any, np.dtype[np.int8]], GenericAlias(np.ndarray, (np.int8,))])
def test_arrays_are_declared_by_their_type_or_as_of_numpy_2_5_by_that_of_their_items(array):
    class Hands(NamedTuple):
        cards: Annotated[array, "hands", 52]

    assert Schema(Hands).fields[Hands][0].kind is np.int8


def test_kernels_read_and_write_the_records():
    shop, late = a_shop(), np.zeros(5, np.int64)
    table = PointerTable(SHOP, shop, an_order(), Delivery(late))
    assert sell(table.addresses) == (14 * 2 * 0.5 + 5 * 3 * 0.5, 5, 5, 5)
    assert shop.sold.tolist() == [False, True, False, False, True]
    assert shop.by_day[6].tolist() == [0, 3, 0, 0, 2]
    assert late.tolist() == [0, 9, 0, 0, 9]
    assert len(table.addresses) == SHOP.places == 2 + 5 + 2 + 1
    table.set(Order(np.zeros(2, np.uint64), np.zeros(2, np.int8)))
    assert sell(table.addresses)[0] == 0


@pytest.mark.parametrize(
    "wrong",
    [
        {"price": np.zeros((5, 3))},
        {"price": np.zeros((3, 5), np.float32).T},
        {"sold": np.zeros(4, np.bool_)},
        {"by_day": np.zeros((6, 5), np.int16)},
    ],
    ids=str,
)
def test_an_array_that_is_not_as_declared_is_refused(wrong):
    (name,) = wrong
    with pytest.raises(TypeError, match=f"{name}: a kernel takes .* in one piece; this is"):
        PointerTable(SHOP, a_shop()._replace(**wrong))


def test_a_length_is_the_same_in_all_records():
    table = PointerTable(SHOP, a_shop(5))
    with pytest.raises(TypeError, match=r"late: a kernel takes int64 \(5,\) in one piece; this is int64 \(4,\)"):
        table.set(Delivery(np.zeros(4, np.int64)))


def test_arrays_that_cannot_be_written_to_are_copied_and_no_others():
    order = an_order()
    order.count.flags.writeable = False
    other = writeable(order)
    assert other.goods is order.goods
    assert other.count.flags.writeable
    assert other.count.tolist() == order.count.tolist()

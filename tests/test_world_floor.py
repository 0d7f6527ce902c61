"""The floor: distances against a plain reference, corners, reach, directions."""

from __future__ import annotations

import heapq

import pytest
from world_cases import ROOMS, a_room, outcome, run, stand_near

from world.floor import FAR, OCTANTS, field_to, line_clear, near, neighbours, octant, standing_cells
from world.params import REACH_CELLS, RESIDENT, VISITOR
from world.room import Room


def reference(room: Room, sources: list[int]) -> dict[int, int]:
    """Return the walking ms of every cell by the textbook search, written without looking at the other."""
    width, height = room.spec.width, room.spec.height
    blocked = [bool(each) for each in room._blocked]
    best = dict.fromkeys(sources, 0)
    queue = [(0, cell) for cell in sources]
    heapq.heapify(queue)
    while queue:
        ms, cell = heapq.heappop(queue)
        if ms > best[cell]:
            continue
        x, y = cell % width, cell // width
        for dx in (-1, 0, 1):
            for dy in (-1, 0, 1):
                to_x, to_y = x + dx, y + dy
                if not (0 <= to_x < width and 0 <= to_y < height):
                    continue
                corner = blocked[y * width + to_x] or blocked[to_y * width + x]
                if blocked[to_y * width + to_x] or (dx and dy and corner):
                    continue
                cost = ms + (350 if dx and dy else 250)
                other = to_y * width + to_x
                if cost < best.get(other, 1 << 40):
                    best[other] = cost
                    heapq.heappush(queue, (cost, other))
    return best


@pytest.mark.parametrize("name", ROOMS)
def test_walking_times_are_those_of_the_textbook(name: str) -> None:
    room = a_room(name)
    for place in [*room._region_cells, *(each.id for each in room.spec.things if each.relation == "at")]:
        field = field_to(room, place)
        best = reference(room, standing_cells(room, place))
        for cell, blocked in enumerate(room._blocked):
            if not blocked:
                expected = best.get(cell, -1)
                assert room.path_ms(cell, place) == expected
                assert (field[cell] >= FAR) == (expected < 0)


@pytest.mark.parametrize("name", ROOMS)
def test_a_step_never_cuts_a_corner(name: str) -> None:
    room = a_room(name)
    room.path_ms(0, "door")
    blocked, width = room._blocked, room.spec.width
    for cell in range(len(blocked)):
        for other, cost in neighbours(blocked, cell, width):
            dx, dy = other % width - cell % width, other // width - cell // width
            assert max(abs(dx), abs(dy)) == 1
            assert cost == (7 if dx and dy else 5)
            assert not blocked[other]
            assert not (dx and dy and (blocked[cell + dx] or blocked[cell + dy * width]))


def test_octants_split_the_circle_evenly() -> None:
    width, middle = 101, 50 * 101 + 50
    for index, (dx, dy) in enumerate(OCTANTS):
        assert octant(middle, middle + 40 * dx + 40 * dy * width, width) == index
    counts = [0] * 8
    disc = [cell for cell in range(width * width)
            if 0 < (cell % width - 50) ** 2 + (cell // width - 50) ** 2 <= 2500]  # fmt: skip
    for cell in disc:
        counts[octant(middle, cell, width)] += 1
    assert max(counts) - min(counts) < len(disc) // 50
    assert octant(middle, middle, width) == 0


def test_reach_ends_at_an_arm_and_at_a_wall() -> None:
    room = a_room()
    body, width = room.bodies[RESIDENT], room.spec.width
    basin = room.things["basin"]
    stand_near(room, "basin")
    assert near(room, body, "basin")
    body.cell = basin.cell - 3 * width
    assert not near(room, body, "basin")
    table = room.things["table"]
    for gap in range(1, 7):
        body.cell = table.cell - gap * width
        assert near(room, body, "table") == (gap <= REACH_CELLS)
        assert near(room, body, "plate") == (gap <= REACH_CELLS)


def test_a_thing_out_of_the_room_is_near_nobody() -> None:
    room = a_room()

    assert not near(room, room.bodies[RESIDENT], "letter_1")
    assert not near(room, room.bodies[RESIDENT], VISITOR)
    assert standing_cells(room, "letter_1") == []
    assert room.path_ms(room.bodies[RESIDENT].cell, "letter_1") == -1


def test_a_walk_to_a_person_stops_beside_them() -> None:
    room = a_room()
    room.enter()

    assert outcome(run(room, "walk_to", place=VISITOR))["result"] == "ok"

    assert room.bodies[RESIDENT].cell != room.bodies[VISITOR].cell
    assert near(room, room.bodies[RESIDENT], VISITOR)


def test_two_bodies_do_not_end_in_one_cell() -> None:
    room = a_room()
    room.enter()
    run(room, "walk_to", body=VISITOR, place="sink")

    run(room, "walk_to", place="sink")

    assert room.bodies[RESIDENT].cell != room.bodies[VISITOR].cell
    assert near(room, room.bodies[RESIDENT], "sink")


def test_a_body_shut_in_by_furniture_finds_out() -> None:
    room = a_room("minimal")
    body = room.bodies[RESIDENT]
    width = room.spec.width
    body.cell = 0 * width + 15
    room.put_thing("bed", "at", "east", 0 * width + 11)
    room.put_thing("table", "at", "east", 8 * width + 12)

    data = run(room, "walk_to", place="door")[0].data

    assert room.path_ms(body.cell, "door") >= 0 or data["reason"] == "unreachable"


def test_lines_meet_walls_before_furniture() -> None:
    room = a_room()
    front, width = room.things["wardrobe"].cell + room.spec.width, room.spec.width
    assert line_clear(room, front + 5 * width, front)
    left, right = room.things["wardrobe"].cell - 1, room.things["wardrobe"].cell + 4
    assert not line_clear(room, left, right)
    assert line_clear(room, left, right, walls_only=True)

"""Every tuned number of the world that is not in a data file, with its unit and where it comes from.

Drifts of needs are in `data/needs.toml`, kinds of things in `data/kinds.toml`, skills in `data/skills.toml`.
"""

from __future__ import annotations

from typing import Final

CELL_MM: Final = 250  # side of a floor cell, mm; a quarter of a step and a half, so a doorway is three cells
NEVER: Final = 1 << 62  # a tick that does not come

NEEDS: Final = (
    "energy", "satiety", "hydration", "bladder", "hygiene", "warmth", "rest", "social", "stimulation",
)  # fmt: skip
NEED_INDEX: Final = {name: index for index, name in enumerate(NEEDS)}
NEED_UNIT: Final = 10**9  # internal units in one thousandth, so that a rate per ms is a whole number
NEED_MAX: Final = 1000 * NEED_UNIT
HOUR_MS: Final = 3_600_000
DAY_MS: Final = 86_400_000

STRAIGHT_MS: Final = 250  # one cell at 1 m/s, an unhurried indoor walk
DIAGONAL_MS: Final = 350  # 7/5 of a straight cell: whole numbers near the square root of two
REACH_CELLS: Final = 3  # an outstretched arm, 750 mm from the body's cell to the thing's footprint
STAND_CELLS: Final = 2  # a walk ends this close, well inside reach
HANDS: Final = 1  # things carried at once; a second hand is busy opening, pouring and switching
HEARING_MM: Final = 8000  # a person this near can be spoken to

JITTER_MILLE: Final = 150  # a declared duration varies by up to this much either way
FOV_COS2_MILLE: Final = 67  # square of the cosine of half the field of view (75 degrees), thousandths

DARK: Final = 100  # light below this: only what is within arm's length, thousandths of daylight
DIM: Final = 300  # light below this is too poor to read by
SIGHT_DARK_MM: Final = 1000
SIGHT_DIM_MM: Final = 3500
SIGHT_MM: Final = 12000
LAMP_LIGHT: Final = 800  # within a lamp's circle
LAMP_SPILL: Final = 150  # elsewhere in the room while any lamp burns
NIGHT_LIGHT: Final = 20
TWILIGHT_LIGHT: Final = 300
TWILIGHT_MS: Final = 1_800_000  # half an hour before dawn and after dusk

WALL_MUFFLE: Final = 2  # a wall between halves the distance at which a sound carries
MASK_SHARE: Final = 2  # an ongoing sound hides others that are fainter than its level over this
VIEWS_MAX: Final = 4096  # views kept at once; a view is a cell, a heading and a light
WAKE_LEVEL: Final = 550  # a sleeper hears only sounds at least this loud at the ear, thousandths

PAIN_DECAY_PER_HOUR: Final = 240  # thousandths
PAIN_BY_FAILURE: Final = {"burned": 260, "choked": 320}  # thousandths of pain that a failure costs the body

RING_MS: Final = 40_000  # how long a phone rings unanswered
VISITOR: Final = "visitor"
RESIDENT: Final = "resident"

# Loudness: the distance in mm at which the sound is just audible in a quiet room.
STEP_MM: Final = 3500
SOUND_MM: Final = {
    "speech": 9000, "music": 11000, "water_runs": 7000, "kettle_whistles": 14000, "called": 7000,
    "phone_rings": 15000, "phone_stops": 15000, "knock": 14000, "noise": 12000, "rain": 5000,
    "letters": 6000, "delivery": 14000, "crash": 12000,
}  # fmt: skip
SKILL_MM: Final = {
    "open": 4000, "close": 4500, "force_open": 9000, "switch_on": 2500, "switch_off": 2500, "put": 2500,
    "sit": 2000, "lie_down": 2000, "wipe": 2500, "wash_up": 5000, "throw_away": 3500, "tidy": 2500,
    "empty": 5000, "exercise": 6000, "launder": 6000,
}  # fmt: skip
# Skills that sound for as long as they run.
ONGOING_MM: Final = {"play_music": 11000, "shower": 7000, "phone_call": 7000, "answer_phone": 7000,
                     "talk": 8000, "wash": 5000, "wash_up": 5000, "cook": 4000, "exercise": 4000}  # fmt: skip
# Marks of attention that others can neither hear nor see for themselves.
SILENT: Final = (
    "looked",
    "listened",
    "searched",
    "touched",
    "observed",
    "read",
    "smells_good",
    "letter_written",
)

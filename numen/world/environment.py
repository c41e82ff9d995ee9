"""Time, weather, difficulty, the kind of dimension, the world border, where the compass points."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

from protocol.registries import DimensionType

if TYPE_CHECKING:
    from numen.world.events import Events
    from protocol.link import Link

DAY_TICKS: Final = 24000
#: A bed may be used from here to there in clear weather (vanilla 1.21.1).
NIGHT_BEGINS, NIGHT_ENDS = 12542, 23459
#: The same span while it rains.
RAINY_NIGHT_BEGINS, RAINY_NIGHT_ENDS = 12010, 23991

DIFFICULTIES: Final = ("peaceful", "easy", "normal", "hard")


@dataclass(frozen=True)
class Dimension:
    """The dimension we are in: its own name, and what its type says. Heights in blocks."""

    name: str = "minecraft:overworld"
    type: DimensionType = field(default_factory=lambda: DimensionType("minecraft:overworld"))

    @property
    def min_y(self) -> int:
        """The lowest block."""
        return self.type.min_y

    @property
    def max_y(self) -> int:
        """The highest block."""
        return self.type.max_y

    @property
    def height(self) -> int:
        return self.type.height

    @property
    def sections(self) -> int:
        """How many chunk sections of 16 blocks stand on each other."""
        return self.type.sections

    @property
    def has_skylight(self) -> bool:
        return self.type.has_skylight

    @property
    def ultrawarm(self) -> bool:
        """Water dries up, lava flows far: as in the nether."""
        return self.type.ultrawarm

    @property
    def bed_works(self) -> bool:
        """Where it does not, a bed explodes."""
        return bool(self.type.raw.get("bed_works", not self.type.name.endswith(("_nether", "_end"))))


class Time:
    """The world's age and the time of day, in ticks. It goes on by itself between the server's updates."""

    __slots__ = ("age", "day_time", "frozen", "running", "tick_rate", "told_at")

    def __init__(self) -> None:
        self.age = 0
        #: Ticks since the first sunrise: ``day_time % 24000`` is the time of day, 0 = 6 o'clock.
        self.day_time = 0
        #: False under ``/gamerule doDaylightCycle false``.
        self.running = True
        #: True under ``/tick freeze``.
        self.frozen = False
        #: Ticks a second, 20 unless ``/tick rate`` changed it.
        self.tick_rate = 20.0
        #: The age the server last told, None before the first time.
        self.told_at: int | None = None

    @property
    def time_of_day(self) -> int:
        """0-23999; 0 sunrise, 6000 noon, 12000 sunset, 18000 midnight."""
        return self.day_time % DAY_TICKS

    @property
    def day(self) -> int:
        """Whole days since the world began."""
        return self.day_time // DAY_TICKS

    @property
    def moon_phase(self) -> int:
        """0 full moon … 4 new moon … 7."""
        return self.day % 8

    @property
    def is_day(self) -> bool:
        """False while a bed may be used in clear weather."""
        return not NIGHT_BEGINS <= self.time_of_day <= NIGHT_ENDS

    def tick(self) -> None:
        if self.frozen:
            return
        self.age += 1
        if self.running:
            self.day_time += 1


class Weather:
    """`rain` and `thunder` are strengths from 0 to 1; both are 0 under a clear sky."""

    __slots__ = ("rain", "raining", "thunder")

    def __init__(self) -> None:
        self.raining = False
        self.rain = 0.0
        self.thunder = 0.0

    @property
    def thundering(self) -> bool:
        """Monsters spawn and beds work by day (vanilla: thunder strength above 0.9 while it rains)."""
        return self.raining and self.thunder > 0.9


@dataclass
class Border:
    """The world border: a square of `diameter` blocks around (x, z); nothing beyond can be reached."""

    x: float = 0.0
    z: float = 0.0
    diameter: float = 59_999_968.0
    #: Where it is growing or shrinking to, and for how many ticks still.
    target: float = 59_999_968.0
    ticks_left: int = 0

    def tick(self) -> None:
        if self.ticks_left > 0:
            self.diameter += (self.target - self.diameter) / self.ticks_left
            self.ticks_left -= 1

    def holds(self, x: float, z: float) -> bool:
        half = self.diameter / 2
        return abs(x - self.x) < half and abs(z - self.z) < half


# game_state_change reasons (protocol 767)
_RAIN_STARTS, _RAIN_STOPS, _RAIN_LEVEL, _THUNDER_LEVEL = 1, 2, 7, 8


class Environment:
    """Everything around that is neither block nor entity."""

    def __init__(self, events: Events) -> None:
        self._events = events
        self.clear()

    def clear(self) -> None:
        self.dimension = Dimension()
        self.time = Time()
        self.weather = Weather()
        self.border = Border()
        self.difficulty = "normal"
        self.spawn_point: tuple[int, int, int] | None = None
        self.view_distance = 10
        self.simulation_distance = 10

    def enter(self, dimension: Dimension) -> None:
        """Another dimension: weather and border belong to the old one, the time goes on."""
        self.dimension = dimension
        self.weather = Weather()
        self.border = Border()

    def attach(self, link: Link) -> None:
        link.subscribe("update_time", self._on_time)
        link.subscribe("set_ticking_state", self._on_ticking)
        link.subscribe("game_state_change", self._on_game_state)
        link.subscribe("difficulty", self._on_difficulty)
        link.subscribe("spawn_position", self._on_spawn_position)
        link.subscribe("initialize_world_border", self._on_border)
        link.subscribe("world_border_center", self._on_border_center)
        link.subscribe("world_border_size", self._on_border_size)
        link.subscribe("world_border_lerp_size", self._on_border_lerp)
        link.subscribe("simulation_distance", self._on_simulation_distance)

    def tick(self) -> None:
        self.time.tick()
        self.border.tick()

    @property
    def can_sleep(self) -> bool:
        """Whether the hour or the weather allows a bed to be used; where it works is another question."""
        now = self.time.time_of_day
        if self.weather.thundering:
            return True
        if self.weather.raining:
            return RAINY_NIGHT_BEGINS <= now <= RAINY_NIGHT_ENDS
        return NIGHT_BEGINS <= now <= NIGHT_ENDS

    def _on_time(self, fields: dict[str, Any]) -> None:
        time = self.time
        time.age = time.told_at = fields["age"]
        # A negative time of day means that it stands still there.
        time.day_time = abs(fields["time"])
        time.running = fields["time"] >= 0
        self._events.emit("time")

    def _on_ticking(self, fields: dict[str, Any]) -> None:
        self.time.frozen = bool(fields["is_frozen"])
        self.time.tick_rate = float(fields["tick_rate"])

    def _on_game_state(self, fields: dict[str, Any]) -> None:
        reason, value = fields["reason"], float(fields["gameMode"])
        weather = self.weather
        if reason == _RAIN_STARTS:
            weather.raining, weather.rain = True, 0.0
        elif reason == _RAIN_STOPS:
            weather.raining, weather.rain = False, 1.0
        elif reason == _RAIN_LEVEL:
            weather.rain = value
            # From here on it counts as rain (vanilla), also for a server that tells the strength only.
            weather.raining = value > 0.2
        elif reason == _THUNDER_LEVEL:
            weather.thunder = value
        else:
            return
        self._events.emit("weather")

    def _on_difficulty(self, fields: dict[str, Any]) -> None:
        number = fields["difficulty"]
        if number < len(DIFFICULTIES):
            self.difficulty = DIFFICULTIES[number]

    def _on_spawn_position(self, fields: dict[str, Any]) -> None:
        self.spawn_point = fields["location"]

    def _on_simulation_distance(self, fields: dict[str, Any]) -> None:
        self.simulation_distance = fields["distance"]

    def _on_border(self, fields: dict[str, Any]) -> None:
        self.border = Border(fields["x"], fields["z"])
        self._on_border_lerp(fields)

    def _on_border_center(self, fields: dict[str, Any]) -> None:
        self.border.x, self.border.z = fields["x"], fields["z"]

    def _on_border_size(self, fields: dict[str, Any]) -> None:
        self.border.diameter = self.border.target = fields["diameter"]
        self.border.ticks_left = 0

    def _on_border_lerp(self, fields: dict[str, Any]) -> None:
        border = self.border
        border.target = fields["newDiameter"]
        border.ticks_left = max(fields["speed"], 0) // 50  # milliseconds
        border.diameter = fields["oldDiameter"] if border.ticks_left else border.target

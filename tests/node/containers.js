'use strict';
// What stands in the world and holds items: chests and furnaces.

const { stack, state } = require('./tables');
const { burnTime, smelted } = require('./recipes');

const SMELT_TICKS = 200;
const INPUT = 0;
const FUEL = 1;
const RESULT = 2;

class Chest {
  constructor () {
    this.slots = Array(27).fill(null);
  }

  tick () {
    return false;
  }
}

class Furnace {
  constructor (world, position) {
    this.world = world;
    this.position = position;
    this.slots = [null, null, null];
    this.burning = 0;
    this.burnTotal = 0;
    this.progress = 0;
  }

  /** Values of the four bars that a furnace screen has, by their number. */
  get bars () {
    return [this.burning, this.burnTotal, this.progress, SMELT_TICKS];
  }

  /** One tick; true when a slot changed. */
  tick () {
    const wasBurning = this.burning > 0;
    let changed = false;
    if (this.burning > 0) this.burning -= 1;
    const makes = this.canMake();
    if (makes && this.burning === 0) changed = this.kindle();
    if (makes && this.burning > 0) {
      this.progress += 1;
      if (this.progress >= SMELT_TICKS) changed = this.finish(makes);
    } else {
      this.progress = 0;
    }
    if (wasBurning !== this.burning > 0) this.glow(this.burning > 0);
    return changed;
  }

  canMake () {
    const name = smelted(this.slots[INPUT]);
    const there = this.slots[RESULT];
    const fits = !there || (there.name === name && there.count < there.stackSize);
    return name && fits ? name : null;
  }

  kindle () {
    const fuel = this.slots[FUEL];
    const ticks = burnTime(fuel);
    if (!ticks) return false;
    this.burning = this.burnTotal = ticks;
    this.takeOne(FUEL);
    return true;
  }

  finish (name) {
    this.progress = 0;
    this.takeOne(INPUT);
    const there = this.slots[RESULT];
    if (there) there.count += 1;
    else this.slots[RESULT] = stack(name);
    return true;
  }

  takeOne (slot) {
    const item = this.slots[slot];
    item.count -= 1;
    if (item.count <= 0) this.slots[slot] = null;
  }

  glow (lit) {
    const block = this.world.blockAt(this.position);
    if (block.name !== 'furnace') return;
    this.world.set(this.position, state('furnace', { ...block.getProperties(), lit }));
  }
}

/** All of them, by position. Listeners hear of each that changed by itself. */
class Containers {
  constructor (world) {
    this.world = world;
    this.all = new Map();
  }

  chest (position) {
    return this.get(position, () => new Chest());
  }

  furnace (position) {
    return this.get(position, () => new Furnace(this.world, position));
  }

  get (position, make) {
    const key = position.toString();
    if (!this.all.has(key)) this.all.set(key, make());
    return this.all.get(key);
  }

  /** The block at a position is gone: what was in it, for the floor. */
  remove (position) {
    const key = position.toString();
    const container = this.all.get(key);
    this.all.delete(key);
    return container ? container.slots.filter(item => item) : [];
  }

  /** One tick. `changed(container)` is called for each whose slots changed. */
  tick (changed) {
    for (const container of this.all.values()) if (container.tick()) changed(container);
  }
}

module.exports = { Containers, Furnace };

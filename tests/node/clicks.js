'use strict';
// What a click does to a window. Plain clicks, hotbar keys and cloning (modes 0, 2 and 3) go to prismarine-windows;
// the result slot, shift-clicks, throwing, drags and double clicks are done here, as vanilla does them.

const { GAME_MODES, copy } = require('./tables');
const { burnTime, craft, smelted } = require('./recipes');

const OUTSIDE = -999;
const OFFHAND = 45;
const OFFHAND_BUTTON = 40;

/** Grids by window: where they are, and how wide. */
const GRIDS = {
  'minecraft:inventory': { from: 1, to: 5, width: 2 },
  'minecraft:crafting': { from: 1, to: 10, width: 3 }
};

const ARMOUR = { helmet: 5, chestplate: 6, leggings: 7, boots: 8 };

/** A drag's three buttons each come as start, add and end. */
const DRAG_STAGES = ['start', 'add', 'end'];
const DRAG_BUTTONS = ['left', 'right', 'middle'];

class Clicks {
  constructor (player, menus) {
    this.player = player;
    this.menus = menus;
    this.dragged = null;
  }

  /** Do it. Throws when the game has no such click. */
  apply (window, packet) {
    const { slot, mode, mouseButton } = packet;
    if (mode === 5) {
      this.drag(window, slot, mouseButton);
      return;
    }
    this.endDrag();
    if (slot === OUTSIDE) {
      if (mode === 0) this.dropCursor(window, mouseButton === 0);
      else if (mode !== 4) throw new Error('nothing can be done outside the window in this mode');
    } else if (slot < 0 || slot >= window.slots.length) {
      throw new Error('there is no such slot');
    } else if (mode === 6) {
      this.gather(window);
    } else if (GRIDS[window.type] && slot === 0) {
      this.takeResult(window, mode);
    } else if (mode === 1) {
      this.quickMove(window, slot);
    } else if (mode === 2 && mouseButton === OFFHAND_BUTTON) {
      this.swapOffhand(window, slot);
    } else if (mode === 4) {
      this.throwFrom(window, slot, mouseButton === 1);
    } else {
      const item = window.slots[slot] || null;
      window.acceptClick({ slot, mode, mouseButton, item }, GAME_MODES.indexOf(this.player.gameMode));
    }
  }

  swapOffhand (window, slot) {
    const { slots } = this.menus.own;
    [slots[OFFHAND], window.slots[slot]] = [window.slots[slot], slots[OFFHAND]];
  }

  // --- throwing --------------------------------------------------------------------------------------------

  dropCursor (window, all) {
    const item = window.selectedItem;
    if (!item) return;
    const count = all ? item.count : 1;
    this.player.throwItem(copy(item, count));
    item.count -= count;
    if (item.count <= 0) window.selectedItem = null;
  }

  throwFrom (window, slot, all) {
    const item = window.slots[slot];
    if (!item || window.selectedItem) return;
    const count = all ? item.count : 1;
    this.player.throwItem(copy(item, count));
    item.count -= count;
  }

  // --- crafting --------------------------------------------------------------------------------------------

  takeResult (window, mode) {
    const kind = window.slots[0] && window.slots[0].type;
    if (mode === 0) {
      this.takeOnce(window, result => this.toCursor(window, result));
    } else if (mode === 1) {
      // again and again, as long as the same thing comes out and there is room
      const slots = inventoryRange(window);
      const toInventory = result => roomFor(window, result, slots) >= result.count &&
        this.moveTo(window, copy(result, result.count), slots, true);
      while (window.slots[0] && window.slots[0].type === kind && this.takeOnce(window, toInventory));
    } else {
      throw new Error('a result is taken by a click or a shift-click');
    }
  }

  /** Take the result to where `receive` puts it, and one of each ingredient with it. False: it had no room. */
  takeOnce (window, receive) {
    const grid = GRIDS[window.type];
    const result = window.slots[0];
    if (!result || !receive(result)) return false;
    for (const slot of range(grid.from, grid.to)) {
      const item = window.slots[slot];
      if (item && --item.count <= 0) window.slots[slot] = null;
    }
    window.slots[0] = craft(window.slots.slice(grid.from, grid.to), grid.width);
    return true;
  }

  toCursor (window, result) {
    const carried = window.selectedItem;
    if (!carried) {
      window.selectedItem = copy(result, result.count);
      return true;
    }
    if (!stackable(carried, result) || carried.count + result.count > carried.stackSize) return false;
    carried.count += result.count;
    return true;
  }

  // --- shift-clicks ----------------------------------------------------------------------------------------

  quickMove (window, slot) {
    const item = window.slots[slot];
    if (!item) return;
    for (const { slots, backwards } of targets(window, slot, item)) {
      this.moveTo(window, item, slots, backwards);
      if (item.count <= 0) break;
    }
  }

  /** Move as much of a stack as goes into some slots: onto like stacks, then into a free one. True when all of
   * it went. */
  moveTo (window, item, slots, backwards) {
    const order = backwards ? [...slots].reverse() : slots;
    const like = order.map(slot => window.slots[slot]).filter(there => there && there !== item);
    for (const there of like.filter(other => stackable(other, item))) {
      const part = Math.min(item.count, there.stackSize - there.count);
      there.count += part;
      item.count -= part;
    }
    const free = item.count ? order.find(slot => !window.slots[slot]) : undefined;
    if (free !== undefined) {
      window.slots[free] = copy(item, item.count);
      item.count = 0;
    }
    return item.count === 0;
  }

  // --- drags and double clicks -----------------------------------------------------------------------------

  /** Start, slots one by one, end: then what the cursor carries is spread over them. Out of turn it ends. */
  drag (window, slot, button) {
    const stage = DRAG_STAGES[button & 3];
    const kind = DRAG_BUTTONS[button >> 2];
    const carried = window.selectedItem;
    if (stage === 'start' && carried && (kind !== 'middle' || this.player.gameMode === 'creative')) {
      this.dragged = { kind, slots: [] };
    } else if (stage === 'add' && this.dragged && this.dragged.kind === kind && carried) {
      const there = window.slots[slot];
      const fits = !there || (stackable(there, carried) && there.count < there.stackSize);
      const enough = kind === 'middle' || carried.count > this.dragged.slots.length;
      if (fits && enough && !this.dragged.slots.includes(slot)) this.dragged.slots.push(slot);
    } else {
      if (stage === 'end' && this.dragged && this.dragged.kind === kind && carried) this.spread(window, carried);
      this.endDrag();
    }
  }

  spread (window, carried) {
    const { kind, slots } = this.dragged;
    const share = { left: Math.floor(carried.count / slots.length), right: 1, middle: carried.stackSize }[kind];
    let left = carried.count;
    for (const slot of slots) {
      const there = window.slots[slot];
      const before = there ? there.count : 0;
      const count = Math.min(before + share, carried.stackSize);
      window.slots[slot] = copy(carried, count);
      left -= count - before;
    }
    if (kind === 'middle') return;
    carried.count = left;
    if (left <= 0) window.selectedItem = null;
  }

  endDrag () {
    this.dragged = null;
  }

  /** Fill the cursor with what lies about of its kind: stacks that aren't full before full ones. */
  gather (window) {
    const carried = window.selectedItem;
    if (!carried) return;
    for (const full of [false, true]) {
      window.slots.forEach((item, slot) => {
        if (!item || !stackable(item, carried) || (GRIDS[window.type] && slot === 0)) return;
        if ((item.count >= item.stackSize) !== full) return;
        const part = Math.min(item.count, carried.stackSize - carried.count);
        carried.count += part;
        item.count -= part;
        if (item.count <= 0) window.slots[slot] = null;
      });
    }
  }
}

/** Where a shift-click sends what lies in a slot: groups of slots, tried in turn. */
function targets (window, slot, item) {
  const start = window.inventoryStart;
  const main = { slots: range(start, start + 27), backwards: false };
  const hotbar = { slots: range(start + 27, start + 36), backwards: false };
  const inventory = backwards => ({ slots: range(start, start + 36), backwards });
  const across = slot < start + 27 ? hotbar : main;
  const inside = slot >= start && slot < start + 36;
  switch (window.type) {
    case 'minecraft:inventory': {
      const worn = ARMOUR[item.name.split('_').pop()];
      if (inside && worn && !window.slots[worn]) return [{ slots: [worn], backwards: false }];
      return [inside ? across : inventory(false)];
    }
    case 'minecraft:crafting':
      return inside ? [{ slots: range(1, 10), backwards: false }, across] : [inventory(false)];
    case 'minecraft:furnace':
      if (!inside) return [inventory(slot === 2)];
      if (smelted(item)) return [{ slots: [0], backwards: false }];
      return burnTime(item) ? [{ slots: [1], backwards: false }] : [across];
    default:
      return inside ? [{ slots: range(0, start), backwards: false }] : [inventory(true)];
  }
}

function inventoryRange (window) {
  return range(window.inventoryStart, window.inventoryStart + 36);
}

/** How many of an item still go into some slots. */
function roomFor (window, item, slots) {
  const rooms = slots.map(slot => {
    const there = window.slots[slot];
    if (!there) return item.stackSize;
    return stackable(there, item) ? there.stackSize - there.count : 0;
  });
  return rooms.reduce((sum, room) => sum + room, 0);
}

function stackable (a, b) {
  return a.type === b.type && a.stackSize > 1;
}

function range (from, to) {
  return [...Array(to - from).keys()].map(i => from + i);
}

module.exports = { Clicks, GRIDS, range, stackable };

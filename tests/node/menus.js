'use strict';
// A player's windows: its own inventory, and the chest, table or furnace it has open.

const { Item, copy, registry, text, windows } = require('./tables');
const { Clicks, GRIDS, range, stackable } = require('./clicks');
const { Furnace } = require('./containers');
const { craft } = require('./recipes');

const MAIN = 9;
const HOTBAR = 36;
const OFFHAND = 45;

class Menus {
  constructor (player, journal) {
    this.player = player;
    this.journal = journal;
    this.own = windows.createWindow(0, 'minecraft:inventory', 'Inventory');
    this.open = null;
    this.openId = 0;
    this.container = null;
    this.stateId = 0;
    this.clicks = new Clicks(player, this);
  }

  get active () {
    return this.open || this.own;
  }

  get activeId () {
    return this.open ? this.openId : 0;
  }

  // --- telling the client ----------------------------------------------------------------------------------

  /** Send all slots of a window, and what the cursor carries. */
  sync (window = this.active) {
    this.player.client.write('window_items', {
      windowId: window === this.own ? 0 : this.openId,
      stateId: this.nextState(),
      items: Array.from(window.slots, item => Item.toNotch(item || null)),
      carriedItem: Item.toNotch(window.selectedItem || null)
    });
  }

  sendSlot (windowId, slot, item) {
    const fields = { windowId, stateId: this.nextState(), slot, item: Item.toNotch(item || null) };
    this.player.client.write('set_slot', fields);
  }

  /** State numbers have 15 bits. */
  nextState () {
    this.stateId = (this.stateId + 1) & 0x7fff;
    return this.stateId;
  }

  /** Put something into a slot of the player's own inventory, whatever window is open. */
  put (slot, item) {
    this.own.slots[slot] = item && item.count > 0 ? item : null;
    const shown = this.own.slots[slot];
    if (this.open && slot >= MAIN && slot < OFFHAND) {
      const index = this.open.inventoryStart + slot - MAIN;
      this.open.slots[index] = shown;
      this.sendSlot(this.openId, index, shown);
    } else {
      this.sendSlot(0, slot, shown);
    }
  }

  /** Take in as much of a stack as there is room for; how much is left over. As vanilla: the stacks there are
   * first, the one in hand before the others, then the first free slot, hotbar before the rest. */
  add (item) {
    const order = [...range(HOTBAR, OFFHAND), ...range(MAIN, HOTBAR)];
    const held = HOTBAR + this.player.heldSlot;
    let left = item.count;
    for (const slot of [held, OFFHAND, ...order]) {
      const there = this.own.slots[slot];
      if (!left || !there || !stackable(there, item)) continue;
      const room = Math.min(left, there.stackSize - there.count);
      there.count += room;
      left -= room;
      if (room) this.put(slot, there);
    }
    for (const slot of order) {
      if (!left) break;
      if (this.own.slots[slot]) continue;
      const part = copy(item, Math.min(left, item.stackSize));
      left -= part.count;
      this.put(slot, part);
    }
    return left;
  }

  /** Everything out, as a list: at death. */
  empty () {
    this.close();
    const items = this.own.slots.filter(item => item);
    this.own.slots.fill(null);
    this.sync(this.own);
    return items;
  }

  // --- opening and closing ---------------------------------------------------------------------------------

  openTable () {
    this.show('minecraft:crafting', 'Crafting', null);
  }

  openChest (chest) {
    this.show('minecraft:generic_9x3', 'Chest', chest);
  }

  openFurnace (furnace) {
    this.show('minecraft:furnace', 'Furnace', furnace);
  }

  show (type, title, container) {
    this.close();
    const window = windows.createWindow(1, type, title);
    this.openId = this.openId % 100 + 1;
    this.open = window;
    this.container = container;
    if (container) container.slots.forEach((item, slot) => { window.slots[slot] = item; });
    for (const slot of range(MAIN, OFFHAND)) window.slots[window.inventoryStart + slot - MAIN] = this.own.slots[slot];
    this.player.client.write('open_window', {
      windowId: this.openId, inventoryType: windows.windows[type].type, windowTitle: text(title)
    });
    this.sync();
    this.sendBars();
  }

  /** The furnace that is open has gone on by itself. */
  refresh (container) {
    if (!this.open || this.container !== container) return;
    container.slots.forEach((item, slot) => { this.open.slots[slot] = item; });
    this.sync();
  }

  sendBars () {
    if (!(this.container instanceof Furnace)) return;
    this.container.bars.forEach((value, property) => {
      this.player.client.write('craft_progress_bar', { windowId: this.openId, property, value });
    });
  }

  /** The client has closed its window, or the server does: what lay in the grid and on the cursor comes back. */
  close () {
    const window = this.active;
    const grid = GRIDS[window.type];
    const back = [window.selectedItem];
    window.selectedItem = null;
    if (grid) {
      for (const slot of range(grid.from, grid.to)) {
        back.push(window.slots[slot]);
        window.slots[slot] = null;
      }
      window.slots[0] = null;
    }
    const wasOpen = this.open !== null;
    this.open = this.container = null;
    this.clicks.endDrag();
    for (const item of back) if (item) this.giveBack(item);
    if (wasOpen || back.some(item => item)) this.sync(this.own);
  }

  giveBack (item) {
    const left = this.add(item);
    if (left) this.player.throwItem(copy(item, left));
  }

  // --- clicks ----------------------------------------------------------------------------------------------

  /** A click: do it, then compare what the client says has changed with what has. */
  click (packet) {
    if (packet.windowId !== this.activeId) {
      this.journal.judge(this.player, 'click_wrong_window', { got: packet.windowId, open: this.activeId });
      return;
    }
    const window = this.active;
    const before = window.slots.map(summary);
    const upToDate = packet.stateId === this.stateId;
    window.slots.forEach((item, slot) => { if (item) item.slot = slot; });
    try {
      this.clicks.apply(window, packet);
    } catch (error) {
      const { mode, mouseButton, slot } = packet;
      this.journal.judge(this.player, 'click_unsupported', { mode, mouseButton, slot, why: error.message });
      this.sync();
      return;
    }
    this.settle(window);
    this.answer(window, packet, before, upToDate);
  }

  /** After a click: the grid has a new result, and what changed in the open window is true elsewhere too. */
  settle (window) {
    const grid = GRIDS[window.type];
    if (grid) window.slots[0] = craft(window.slots.slice(grid.from, grid.to), grid.width);
    window.slots.forEach((item, slot) => { if (item && item.count <= 0) window.slots[slot] = null; });
    if (window === this.own) return;
    for (const slot of range(MAIN, OFFHAND)) this.own.slots[slot] = window.slots[window.inventoryStart + slot - MAIN];
    if (this.container) this.container.slots = window.slots.slice(0, this.container.slots.length);
  }

  answer (window, packet, before, upToDate) {
    const wrong = this.wrongClaim(window, packet);
    const claimed = new Set(packet.changedSlots.map(change => change.location));
    const hasResult = GRIDS[window.type] !== undefined;
    const missed = range(hasResult ? 1 : 0, window.slots.length)
      .filter(slot => summary(window.slots[slot]) !== before[slot] && !claimed.has(slot));
    if (wrong || missed.length) {
      const { mode, mouseButton, slot } = packet;
      this.journal.judge(this.player, 'resync', { mode, mouseButton, slot, wrong, missed });
    }
    const grid = GRIDS[window.type];
    const gridChanged = grid && range(grid.from, grid.to).some(slot => summary(window.slots[slot]) !== before[slot]);
    if (wrong || missed.length || !upToDate) this.sync();
    else if (gridChanged) this.sendSlot(packet.windowId, 0, window.slots[0]);
  }

  /** The first thing the client thinks differently of; the result slot is the server's alone. */
  wrongClaim (window, packet) {
    const hasResult = GRIDS[window.type] !== undefined;
    for (const { location, item } of packet.changedSlots) {
      if (hasResult && location === 0) continue;
      const [client, server] = [summary(Item.fromNotch(item)), summary(window.slots[location])];
      if (client !== server) return { slot: location, client, server };
    }
    const [client, server] = [summary(Item.fromNotch(packet.cursorItem)), summary(window.selectedItem)];
    return client === server ? null : { slot: 'cursor', client, server };
  }
}

function summary (item) {
  return item && item.count > 0 ? `${item.count} ${registry.items[item.type].name}` : '';
}

module.exports = { Menus, HOTBAR, OFFHAND };

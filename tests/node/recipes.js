'use strict';
// What a crafting grid makes, what a furnace makes, and what burns in it.

const { Item, registry } = require('./tables');

/** The stack that a grid of `width` columns makes, or null. `grid` holds items or nulls, row by row. */
function craft (grid, width) {
  const rows = trimmed(grid.map(item => (item ? item.type : null)), width);
  if (!rows) return null;
  const flat = rows.flat();
  const kinds = flat.filter(type => type !== null).sort((a, b) => a - b);
  for (const recipe of Object.values(registry.recipes).flat()) {
    if (recipe.inShape ? fitsShape(rows, recipe.inShape) : fitsHeap(kinds, recipe.ingredients)) {
      return new Item(recipe.result.id, recipe.result.count);
    }
  }
  return null;
}

/** The part of the grid that has something in it, as rows; null when nothing has. */
function trimmed (types, width) {
  const rows = [];
  for (let i = 0; i < types.length; i += width) rows.push(types.slice(i, i + width));
  const used = row => row.some(type => type !== null);
  const first = rows.findIndex(used);
  if (first < 0) return null;
  const last = rows.length - 1 - [...rows].reverse().findIndex(used);
  const band = rows.slice(first, last + 1);
  const columns = [...Array(width).keys()].filter(x => band.some(row => row[x] !== null));
  return band.map(row => row.slice(columns[0], columns[columns.length - 1] + 1));
}

function fitsShape (rows, shape) {
  const width = Math.max(...shape.map(row => row.length));
  if (rows.length !== shape.length || rows[0].length !== width) return false;
  const same = (row, wanted) => wanted.every((type, x) => (type ?? null) === row[x]);
  const filled = shape.map(row => [...row, ...Array(width - row.length).fill(null)]);
  return rows.every((row, y) => same(row, filled[y])) ||
    rows.every((row, y) => same(row, [...filled[y]].reverse()));
}

function fitsHeap (kinds, ingredients) {
  const wanted = [...ingredients].sort((a, b) => a - b);
  return kinds.length === wanted.length && kinds.every((type, i) => type === wanted[i]);
}

const SMELTS = {
  raw_iron: 'iron_ingot',
  iron_ore: 'iron_ingot',
  raw_gold: 'gold_ingot',
  raw_copper: 'copper_ingot',
  cobblestone: 'stone',
  sand: 'glass',
  clay_ball: 'brick',
  beef: 'cooked_beef',
  porkchop: 'cooked_porkchop',
  chicken: 'cooked_chicken',
  mutton: 'cooked_mutton',
  potato: 'baked_potato'
};

const BURNS = { coal: 1600, charcoal: 1600, coal_block: 16000, lava_bucket: 20000, blaze_rod: 2400, stick: 100 };

/** Name of what an item becomes in a furnace, or null. */
function smelted (item) {
  if (!item) return null;
  return SMELTS[item.name] || (/_log$|_wood$/.test(item.name) ? 'charcoal' : null);
}

/** Ticks an item burns; 0 when it doesn't. */
function burnTime (item) {
  if (!item) return 0;
  return BURNS[item.name] || (/_log$|_wood$|_planks$/.test(item.name) ? 300 : 0);
}

module.exports = { craft, smelted, burnTime };

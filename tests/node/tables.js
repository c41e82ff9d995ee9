'use strict';
// The game's tables and classes for 1.21.1, from the prismarine packages. Nothing here comes from Numen: a
// server that shared our tables would agree with our mistakes.

const { load } = require('./packages');

const VERSION = '1.21.1';
const registry = load('prismarine-registry')(VERSION);
const Block = load('prismarine-block')(registry);
const Chunk = load('prismarine-chunk')(registry);
const Item = load('prismarine-item')(registry);
const windows = load('prismarine-windows')(registry);
const { Vec3 } = load('vec3');

const AIR = 0;
const GAME_MODES = ['survival', 'creative', 'adventure', 'spectator'];
const EYE_HEIGHT = 1.62;
const SNEAKING_EYE_HEIGHT = 1.27;

/** Offsets of the six faces in the protocol's order: down, up, north, south, west, east. */
const FACES = [[0, -1, 0], [0, 1, 0], [0, 0, -1], [0, 0, 1], [-1, 0, 0], [1, 0, 0]];

/** The state number of a block, its default one changed by `properties`. */
function state (name, properties) {
  const block = registry.blocksByName[name];
  if (!properties) return block.defaultState;
  const defaults = Block.fromStateId(block.defaultState, 0).getProperties();
  return Block.fromProperties(name, { ...defaults, ...properties }, 0).stateId;
}

/** A new stack of a named item. */
function stack (name, count = 1) {
  return new Item(registry.itemsByName[name].id, count);
}

/** Another stack of the same thing. */
function copy (item, count) {
  const other = new Item(item.type, count);
  other.components = item.components;
  return other;
}

/** A text component as network NBT. */
function text (words) {
  return { type: 'compound', value: { text: { type: 'string', value: words } } };
}

const damageTypes = registry.loginPacket.dimensionCodec['minecraft:damage_type'].entries;

/** The number of a damage type in the registry that every client is sent. */
function damageType (name) {
  return Math.max(0, damageTypes.findIndex(entry => entry.key === `minecraft:${name}`));
}

module.exports = {
  VERSION, AIR, GAME_MODES, EYE_HEIGHT, SNEAKING_EYE_HEIGHT, FACES,
  registry, Block, Chunk, Item, windows, Vec3,
  state, stack, copy, text, damageType
};

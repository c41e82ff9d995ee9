'use strict';
// Four kinds of world. Each is a function of the coordinates, so a place looks the same in every run.

const { AIR, Chunk, Vec3, registry, state } = require('./tables');

const BOTTOM = -64;
const HEIGHT = 384;
const GROUND = 64;

const STONE = state('stone');
const DEEPSLATE = state('deepslate');
const DIRT = state('dirt');
const GRASS = state('grass_block');
const LOG = state('oak_log');
const LEAVES = state('oak_leaves', { distance: 1 });
const COBBLESTONE = state('cobblestone');

/** 0 to 1, the same for the same place. */
function random (seed, x, z) {
  let h = Math.imul(x, 0x27d4eb2d) ^ Math.imul(z, 0x165667b1) ^ Math.imul(seed, 0x9e3779b1);
  h = Math.imul(h ^ (h >>> 15), 0x85ebca6b);
  h = Math.imul(h ^ (h >>> 13), 0xc2b2ae35);
  return ((h ^ (h >>> 16)) >>> 0) / 0x100000000;
}

/** Smooth noise, 0 to 1, with hills about `size` blocks apart. */
function noise (seed, x, z, size) {
  const left = Math.floor(x / size);
  const top = Math.floor(z / size);
  const ease = t => t * t * (3 - 2 * t);
  const u = ease(x / size - left);
  const v = ease(z / size - top);
  const mix = (a, b, t) => a + (b - a) * t;
  const north = mix(random(seed, left, top), random(seed, left + 1, top), u);
  const south = mix(random(seed, left, top + 1), random(seed, left + 1, top + 1), u);
  return mix(north, south, v);
}

/** One column under construction. */
class Builder {
  constructor (columnX, columnZ) {
    this.x = columnX * 16;
    this.z = columnZ * 16;
    this.column = new Chunk({ minY: BOTTOM, worldHeight: HEIGHT });
    this.point = new Vec3(0, 0, 0);
  }

  /** Set a block by its coordinates within the column. */
  set (x, y, z, stateId) {
    this.column.setBlockStateId(this.at(x, y, z), stateId);
  }

  at (x, y, z) {
    this.point.x = x;
    this.point.y = y;
    this.point.z = z;
    return this.point;
  }

  /** Fill the whole section from `y` on with one state: one number instead of 4096 calls. */
  fillSection (y, singleValue) {
    const { column } = this;
    const Section = Chunk.section;
    column.sections[(y - BOTTOM) >> 4] = new Section({ singleValue, maxBitsPerBlock: column.maxBitsPerBlock });
  }
}

/** Ground that follows `height(x, z)`: bedrock, deepslate, stone, three of dirt, grass. */
function layGround (builder, height) {
  const heights = [];
  for (let z = 0; z < 16; z++) for (let x = 0; x < 16; x++) heights.push(height(builder.x + x, builder.z + z));
  const solidUpTo = (Math.min(...heights) - 4) & ~15;
  for (let y = BOTTOM; y < solidUpTo; y += 16) builder.fillSection(y, y < 0 ? DEEPSLATE : STONE);
  for (let z = 0; z < 16; z++) {
    for (let x = 0; x < 16; x++) {
      const top = heights[z * 16 + x] - 1;
      builder.set(x, BOTTOM, z, state('bedrock'));
      for (let y = solidUpTo; y < top - 3; y++) builder.set(x, y, z, STONE);
      for (let y = top - 3; y < top; y++) builder.set(x, y, z, DIRT);
      builder.set(x, top, z, GRASS);
    }
  }
  return heights;
}

/** Full daylight above the ground, none below it. */
function shine (builder, heights) {
  const highest = (Math.max(...heights) + 15) & ~15;
  const bright = brightSection();
  for (let y = highest; y < BOTTOM + HEIGHT + 16; y += 16) {
    const index = ((y - BOTTOM) >> 4) + 1;
    builder.column.skyLightMask.set(index, 1);
    builder.column.skyLightSections[index] = bright;
  }
  for (let z = 0; z < 16; z++) {
    for (let x = 0; x < 16; x++) {
      for (let y = heights[z * 16 + x]; y < highest; y++) builder.column.setSkyLight(builder.at(x, y, z), 15);
    }
  }
}

let bright = null;

/** A section of nothing but daylight. Every column may hold the same one, for light never changes here. */
function brightSection () {
  if (bright === null) {
    const builder = new Builder(0, 0);
    for (let i = 0; i < 4096; i++) builder.column.setSkyLight(builder.at(i & 15, i >> 8, (i >> 4) & 15), 15);
    bright = builder.column.skyLightSections[((0 - BOTTOM) >> 4) + 1];
  }
  return bright;
}

const flat = {
  height: () => GROUND,
  decorate () {}
};

const hills = {
  height: (x, z) => GROUND + Math.floor(noise(1, x, z, 26) * 13 + noise(2, x, z, 8) * 3),
  decorate (builder) {
    scatterOre(builder, 'coal_ore', 0.012, 3);
    scatterOre(builder, 'iron_ore', 0.010, 4);
    for (let z = 0; z < 16; z += 8) for (let x = 0; x < 16; x += 8) plantTree(builder, x, z);
  }
};

/** Replace some of the stone from y 0 up. */
function scatterOre (builder, name, share, seed) {
  const ore = state(name);
  for (let z = 0; z < 16; z++) {
    for (let x = 0; x < 16; x++) {
      const top = hills.height(builder.x + x, builder.z + z) - 4;
      for (let y = 0; y < top; y++) {
        if (random(seed + y * 64, builder.x + x, builder.z + z) < share) builder.set(x, y, z, ore);
      }
    }
  }
}

/** In the cell of 8 by 8 blocks from (x, z) on there may stand an oak, far enough from the cell's edges that
 * its leaves stay inside. The cell of the spawn point is left free. */
function plantTree (builder, x, z) {
  const [worldX, worldZ] = [builder.x + x, builder.z + z];
  if (random(5, worldX, worldZ) > 0.4 || (worldX === 0 && worldZ === 0)) return;
  const trunkX = x + 2 + Math.floor(random(6, worldX, worldZ) * 4);
  const trunkZ = z + 2 + Math.floor(random(7, worldX, worldZ) * 4);
  const ground = hills.height(builder.x + trunkX, builder.z + trunkZ);
  const top = ground + 4 + Math.floor(random(8, worldX, worldZ) * 3);
  for (let y = top - 2; y <= top + 1; y++) {
    const reach = y < top ? 2 : 1;
    for (let dz = -reach; dz <= reach; dz++) {
      for (let dx = -reach; dx <= reach; dx++) {
        const corner = Math.abs(dx) === reach && Math.abs(dz) === reach;
        if (!corner) builder.set(trunkX + dx, y, trunkZ + dz, LEAVES);
      }
    }
  }
  for (let y = ground; y < top; y++) builder.set(trunkX, y, trunkZ, LOG);
}

const maze = {
  height: () => GROUND,
  spawn: [2, 2],
  decorate (builder) {
    for (let z = 0; z < 16; z++) {
      for (let x = 0; x < 16; x++) {
        if (!isWall(builder.x + x, builder.z + z)) continue;
        for (let y = GROUND; y < GROUND + 3; y++) builder.set(x, y, z, COBBLESTONE);
      }
    }
  }
};

/** Rooms of three by three blocks. Each is open either to the north or to the west, so all are connected;
 * every fourth wall is left out besides, so that ways are not endless. */
function isWall (x, z) {
  const west = (x & 3) === 0;
  const north = (z & 3) === 0;
  if (!west && !north) return false;
  if (west && north) return true;
  const opensNorth = random(9, x >> 2, z >> 2) < 0.5;
  if (random(west ? 10 : 11, x >> 2, z >> 2) < 0.25) return false;
  return west ? opensNorth : !opensNorth;
}

/** How many different states a section has: every width of palette there is, up to none at all. */
const PALETTE_SIZES = [1, 2, 3, 16, 17, 32, 33, 128, 129, 256, 257, 2000, 4096];
const STATE_COUNT = 1 + Math.max(...Object.values(registry.blocksByName).map(block => block.maxStateId));

const palette = {
  height: () => GROUND,
  decorate (builder) {
    const column = Math.abs(builder.x / 16 * 5 + builder.z / 16 * 3);
    const size = PALETTE_SIZES[column % PALETTE_SIZES.length];
    for (let i = 0; i < 4096; i++) {
      const stateId = Math.floor(((i * 7919) % size) * STATE_COUNT / 4096);
      builder.set(i & 15, GROUND + 16 + (i >> 8), (i >> 4) & 15, stateId || AIR);
    }
    for (let i = 0; i < 64; i++) {
      const at = builder.at((i & 3) * 4, GROUND + 16 + (i >> 4) * 4, ((i >> 2) & 3) * 4);
      builder.column.setBiome(at, (i * (1 + column % 3)) % 40);
    }
  }
};

const KINDS = { flat, hills, maze, palette };

/** A world: `height(x, z)` of the first free block, `spawn` [x, z], and `column(x, z)`, a new chunk column. */
function terrain (kind) {
  const shape = KINDS[kind];
  if (!shape) throw new Error(`no world is called ${kind}; there are ${Object.keys(KINDS).join(', ')}`);
  return {
    height: shape.height,
    spawn: shape.spawn || [0, 0],
    column (columnX, columnZ) {
      const builder = new Builder(columnX, columnZ);
      const heights = layGround(builder, shape.height);
      shine(builder, heights);
      shape.decorate(builder);
      return builder.column;
    }
  };
}

module.exports = { BOTTOM, HEIGHT, terrain };

'use strict';
// The blocks of the world and what can be asked about them: states, collision boxes, chunk packets.

const { EventEmitter } = require('events');
const { AIR, Block, Vec3, registry } = require('./tables');
const { BOTTOM, HEIGHT, terrain } = require('./terrain');

const TOP = BOTTOM + HEIGHT - 1;
const NOTHING = Object.freeze([]);

/** Emits `change` with (position, stateId, oldStateId). */
class World extends EventEmitter {
  constructor (kind) {
    super();
    this.setMaxListeners(0);
    this.kind = kind;
    this.terrain = terrain(kind);
    this.columns = new Map();
    this.packets = new Map();
    this.shapes = new Map();
  }

  /** Where players appear: in the middle of the first free block. */
  get spawn () {
    const [x, z] = this.terrain.spawn;
    return new Vec3(x + 0.5, this.terrain.height(x, z), z + 0.5);
  }

  column (x, z) {
    const key = `${x},${z}`;
    let column = this.columns.get(key);
    if (!column) {
      column = this.terrain.column(x, z);
      this.columns.set(key, column);
    }
    return column;
  }

  /** State number at a position of whole numbers; air above and below the world. */
  stateAt (position) {
    const { x, y, z } = position;
    if (y < BOTTOM || y > TOP) return AIR;
    return this.column(x >> 4, z >> 4).getBlockStateId({ x: x & 15, y, z: z & 15 });
  }

  /** A prismarine Block, with its position. */
  blockAt (position) {
    const block = Block.fromStateId(this.stateAt(position), 0);
    block.position = position;
    return block;
  }

  set (position, stateId) {
    const { x, y, z } = position;
    if (y < BOTTOM || y > TOP) return;
    const old = this.stateAt(position);
    if (old === stateId) return;
    this.column(x >> 4, z >> 4).setBlockStateId({ x: x & 15, y, z: z & 15 }, stateId);
    this.packets.delete(`${x >> 4},${z >> 4}`);
    this.emit('change', position, stateId, old);
  }

  /** Collision boxes of the block at a position, in world coordinates: [x0, y0, z0, x1, y1, z1]. */
  boxesAt (x, y, z) {
    return this.shapesOf(this.stateAt({ x, y, z }))
      .map(([x0, y0, z0, x1, y1, z1]) => [x + x0, y + y0, z + z0, x + x1, y + y1, z + z1]);
  }

  shapesOf (stateId) {
    if (stateId === AIR) return NOTHING;
    let shapes = this.shapes.get(stateId);
    if (!shapes) {
      const block = Block.fromStateId(stateId, 0);
      shapes = block.boundingBox === 'empty' ? NOTHING : block.shapes;
      this.shapes.set(stateId, shapes);
    }
    return shapes;
  }

  /** The first block that a box overlaps by more than nothing, or null. */
  blockIn (box) {
    const [x0, y0, z0, x1, y1, z1] = box;
    for (let x = Math.floor(x0); x <= Math.floor(x1); x++) {
      // fences and walls reach half a block above their own cell
      for (let y = Math.floor(y0) - 1; y <= Math.floor(y1); y++) {
        for (let z = Math.floor(z0); z <= Math.floor(z1); z++) {
          if (this.boxesAt(x, y, z).some(other => overlap(box, other))) return this.blockAt(new Vec3(x, y, z));
        }
      }
    }
    return null;
  }

  isFree (position) {
    return this.shapesOf(this.stateAt(position)).length === 0;
  }

  /** Height of the ground under a point: the top of the first full cell at or below it. */
  floorBelow (x, y, z) {
    const cell = new Vec3(Math.floor(x), Math.floor(y) - 1, Math.floor(z));
    while (cell.y > BOTTOM && this.isFree(cell)) cell.y -= 1;
    return cell.y + 1;
  }

  /** Fields of the map_chunk packet; kept until a block of the column changes. */
  chunkPacket (x, z) {
    const key = `${x},${z}`;
    let packet = this.packets.get(key);
    if (!packet) {
      const column = this.column(x, z);
      packet = { x, z, heightmaps: NO_HEIGHTS, chunkData: column.dump(), blockEntities: [], ...column.dumpLight() };
      this.packets.set(key, packet);
    }
    return packet;
  }
}

/** Clients draw rain by the height map and nothing else, and no rain falls here. */
const NO_HEIGHTS = {
  type: 'compound',
  name: '',
  value: { MOTION_BLOCKING: { type: 'longArray', value: new Array(37).fill([0, 0]) } }
};

function overlap (a, b) {
  return a[0] < b[3] && a[3] > b[0] && a[1] < b[4] && a[4] > b[1] && a[2] < b[5] && a[5] > b[2];
}

/** Distance from a point to the nearest point of a box. */
function distanceToBox (point, box) {
  const gap = (value, low, high) => Math.max(low - value, 0, value - high);
  return Math.hypot(
    gap(point.x, box[0], box[3]), gap(point.y, box[1], box[4]), gap(point.z, box[2], box[5])
  );
}

/** The box of something `width` wide and `height` high that stands at a point. */
function boxOf (position, width, height) {
  const half = width / 2;
  return [
    position.x - half, position.y, position.z - half,
    position.x + half, position.y + height, position.z + half
  ];
}

/** The whole cell of a block. */
function cellBox ({ x, y, z }) {
  return [x, y, z, x + 1, y + 1, z + 1];
}

/** A prismarine item name without its namespace, or null when there is no such thing in `table`. */
function named (table, name = '') {
  return registry[table][name.replace(/^minecraft:/, '')] || null;
}

module.exports = { World, boxOf, cellBox, distanceToBox, overlap, named };

'use strict';
// Which chunks a client has and gets, at the pace it asks for: as vanilla does, so many a tick, and no further
// batch while too many are unacknowledged.

const START_PACE = 9;
const MAX_PACE = 64;
const MAX_UNACKNOWLEDGED = 10;

class ChunkView {
  /** `minPace`: chunks a tick that are sent even to a client that asks for fewer. */
  constructor (client, world, distance, minPace) {
    this.client = client;
    this.world = world;
    this.distance = distance;
    this.minPace = minPace;
    this.clear();
  }

  /** The client has nothing any more: after a respawn. */
  clear () {
    this.sent = new Set();
    this.queue = [];
    this.center = null;
    this.pace = START_PACE;
    this.quota = 0;
    this.unacknowledged = 0;
    this.allowed = 1; // until the client has shown that it acknowledges
  }

  /** The player is at (x, z): tell the client, take away what is too far, queue what is new. */
  follow (x, z) {
    const [chunkX, chunkZ] = [Math.floor(x) >> 4, Math.floor(z) >> 4];
    if (this.center && this.center.x === chunkX && this.center.z === chunkZ) return;
    this.center = { x: chunkX, z: chunkZ };
    this.client.write('update_view_position', { chunkX, chunkZ });
    const wanted = this.wanted();
    const keep = new Set(wanted.map(({ key }) => key));
    for (const key of this.sent) if (!keep.has(key)) this.forget(key);
    this.queue = wanted.filter(({ key }) => !this.sent.has(key));
  }

  wanted () {
    const wanted = [];
    for (let dx = -this.distance; dx <= this.distance; dx++) {
      for (let dz = -this.distance; dz <= this.distance; dz++) {
        const [x, z] = [this.center.x + dx, this.center.z + dz];
        wanted.push({ x, z, key: `${x},${z}`, far: dx * dx + dz * dz });
      }
    }
    return wanted.sort((a, b) => a.far - b.far);
  }

  forget (key) {
    const [chunkX, chunkZ] = key.split(',').map(Number);
    this.sent.delete(key);
    this.client.write('unload_chunk', { chunkX, chunkZ });
  }

  /** The client has taken in everything there is to see. */
  get complete () {
    return !this.queue.length && !this.unacknowledged;
  }

  /** The client has taken a batch in and says how many chunks a tick it can bear. */
  acknowledged (pace) {
    this.unacknowledged = Math.max(0, this.unacknowledged - 1);
    this.pace = Math.min(MAX_PACE, Math.max(this.minPace, Number.isFinite(pace) ? pace : 0));
    this.allowed = MAX_UNACKNOWLEDGED;
  }

  tick () {
    if (!this.queue.length || this.unacknowledged >= this.allowed) return;
    this.quota = Math.min(this.quota + this.pace, Math.max(1, this.pace));
    const count = Math.min(this.queue.length, Math.floor(this.quota));
    if (count < 1) return;
    this.quota -= count;
    this.unacknowledged += 1;
    this.client.write('chunk_batch_start', {});
    for (const { x, z, key } of this.queue.splice(0, count)) {
      this.sent.add(key);
      this.client.write('map_chunk', this.world.chunkPacket(x, z));
    }
    this.client.write('chunk_batch_finished', { batchSize: count });
  }
}

module.exports = { ChunkView };
